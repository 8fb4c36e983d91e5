// The only place that decides which client sends a submission (A5). Records are bound to the client, so a response is
// repeated only to the client of the first submission.

import { createHmac, hash, randomBytes, randomInt } from 'node:crypto'
import { sessionFormOf } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { CLIENT_COOKIE, LONGEST_COOKIE_SECONDS } from '@portico/shared/wire/constants.ts'
import type { CookieSeal } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { stringifySetCookie } from 'cookie'
import type { Cookies, RequestFacts } from './request-facts.ts'

/** The cookie of sessions that a site made itself, without createSession. */
const OWN_SESSION_COOKIE = 'session'
/** The id, a dot and the counter. A new cookie has only the id, which means the counter 0. */
const CLIENT_COOKIE_VALUE = /^([A-Za-z0-9_-]{22,64})(?:\.(\d{1,9}))?$/
const COUNTER_LIMIT = 1_000_000_000

/**
 * SECURITY: the cookie is not signed. The id is a secret of the client, so no other client can name its records; a
 * client that chooses its counter decides only whether its own submissions are copies.
 */
export interface ClientCookie {
  id: string
  /** Distinguishes the submissions of forms without a key; each completed one sets another value. */
  counter: number
}

export type ClientIdentity =
  | {
      kind: 'session' | 'cookie' | 'key'
      /** Binds records and is never sent. */
      id: string
      /** Ids under which this client may have sent the same key before it received the newest of its cookies. */
      earlierIds: readonly string[]
      cookie: ClientCookie | undefined
    }
  /** SECURITY: an address or a User-Agent is not an identity, because many clients share them: no record is stored. */
  | { kind: 'none'; id: undefined; earlierIds: readonly []; cookie: undefined }

interface ClientFacts {
  cookies: Cookies
  cookieSeal: CookieSeal
  /** Idempotency key of the submission, if there is one. */
  key: string | undefined
}

/**
 * The session, else the client cookie, else the key. The response to a key sets a client cookie that is derived from
 * the key: so two copies of a first submission, and a resend with that cookie, belong to one client.
 *
 * SECURITY: a record under an earlier id is found only with its key too, a secret of the client that sent the first
 * arrival. After a log-out no cookie names the session before it, so that the next user of the browser finds nothing.
 *
 * `secrets`: those that count, the current one first; the first arrival of a key may have come before a rotation.
 */
export function identifyClient({ cookies, cookieSeal, key }: ClientFacts, secrets: readonly string[]): ClientIdentity {
  const cookie = parseClientCookie(cookies[CLIENT_COOKIE])
  const sessions = sessionIdsOf(cookies, cookieSeal)
  const known = cookie ? [...sessions, `visitor:${cookie.id}`] : sessions
  const [id, ...others] = known
  if (key === undefined) {
    if (id === undefined) return { kind: 'none', id: undefined, earlierIds: [], cookie: undefined }
    return { kind: sessions.length > 0 ? 'session' : 'cookie', id, earlierIds: others, cookie }
  }
  // SECURITY: HMAC with a secret, so that no other client can derive a client cookie from the key of a submission.
  const derived = secrets.map((secret) => createHmac('sha256', secret).update(`visitor.${key}`).digest('base64url'))
  const [byKey, ...byFormerKeys] = derived.map((each) => `visitor:${each}`)
  const [newest] = derived
  if (byKey === undefined || newest === undefined) throw new Error('a client is identified with at least one secret')
  if (id === undefined) return { kind: 'key', id: byKey, earlierIds: byFormerKeys, cookie: { id: newest, counter: 0 } }
  const earlierIds = [...others, ...[byKey, ...byFormerKeys].filter((each) => each !== id)]
  return { kind: sessions.length > 0 ? 'session' : 'cookie', id, earlierIds, cookie }
}

/** The ids of all sessions, then those before a log-in: a renewed cookie has another value, but the same id. */
function sessionIdsOf(cookies: Cookies, seal: CookieSeal): string[] {
  const current: string[] = []
  const previous: string[] = []
  for (const name of Object.keys(cookies).sort()) {
    const value = cookies[name]!
    const form = sessionFormOf(value)
    const session = form && seal.openSession(name, value, form)?.session
    if (session) current.push(`session:${session.id}`)
    if (session?.previousId !== undefined) previous.push(`session:${session.previousId}`)
    if (!form && name === OWN_SESSION_COOKIE && value !== '')
      current.push(`session:${hash('sha256', value, 'base64url')}`)
  }
  return [...current, ...previous]
}

function parseClientCookie(value: string | undefined): ClientCookie | undefined {
  const [, id, counter = '0'] = CLIENT_COOKIE_VALUE.exec(value ?? '') ?? []
  return id === undefined ? undefined : { id, counter: Number(counter) }
}

/** Creates a cookie for a client without a client cookie. */
export function mintClientCookie(): ClientCookie {
  return { id: randomBytes(24).toString('base64url'), counter: 0 }
}

/**
 * The cookie after a completed submission without a key: equal fields that are sent later are another submission. The
 * counter is random, because `counter + 1` in a late response of another tab would bring back a used value.
 */
export function rotateClientCookie({ id }: ClientCookie): ClientCookie {
  return { id, counter: randomInt(1, COUNTER_LIMIT) }
}

/** The Set-Cookie value. */
export function setClientCookie({ id, counter }: ClientCookie, basePath: string, isSecure: boolean): string {
  return stringifySetCookie({
    name: CLIENT_COOKIE,
    value: counter === 0 ? id : `${id}.${counter}`,
    path: basePath === '' ? '/' : basePath,
    maxAge: LONGEST_COOKIE_SECONDS,
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
  })
}

/** The name for counting a client before its body is read: identity, else address and User-Agent. For limits only. */
export function countedAs(
  { id }: ClientIdentity,
  { address, userAgent }: Pick<RequestFacts, 'address' | 'userAgent'>,
): string {
  return id ?? `${address}\0${userAgent}`
}
