// The only place that decides which client sends a submission (A5). Records are bound to the client, so a response is
// repeated only to the client of the first submission.

import { createHmac, hash, randomBytes, randomInt } from 'node:crypto'
import { CLIENT_COOKIE } from '@portico/shared/wire/constants.ts'
import { stringifySetCookie } from 'cookie'
import type { Cookies, RequestFacts } from './request-facts.ts'

/** The session cookie of sites; on sites with another cookie name the client cookie identifies the client. */
const SESSION_COOKIE = 'session'
/** Browsers limit the lifetime of a cookie to 400 days (RFC 6265bis section 5.5). */
const CLIENT_COOKIE_SECONDS = 400 * 24 * 60 * 60
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
  /** `id` binds records and is never sent. */
  | { kind: 'session' | 'cookie' | 'key'; id: string; cookie: ClientCookie | undefined }
  /** SECURITY: an address or a User-Agent is not an identity, because many clients share them: no record is stored. */
  | { kind: 'none'; id: undefined; cookie: undefined }

export interface ClientFacts {
  cookies: Cookies
  /** Idempotency key of the submission, if there is one. */
  key: string | undefined
}

/**
 * The session, else the client cookie, else the key. The response to a key sets a client cookie that is derived from
 * the key: so two copies of a first submission, and a resend with that cookie, belong to one client.
 */
export function identifyClient({ cookies, key }: ClientFacts, secret: string): ClientIdentity {
  const cookie = parseClientCookie(cookies[CLIENT_COOKIE])
  const session = cookies[SESSION_COOKIE]
  if (session) return { kind: 'session', id: `session:${hash('sha256', session, 'base64url')}`, cookie }
  if (cookie) return { kind: 'cookie', id: `visitor:${cookie.id}`, cookie }
  if (key === undefined) return { kind: 'none', id: undefined, cookie: undefined }
  // SECURITY: HMAC with a secret, so that no other client can derive a client cookie from the key of a submission.
  const derived = createHmac('sha256', secret).update(`visitor.${key}`).digest('base64url')
  return { kind: 'key', id: `visitor:${derived}`, cookie: { id: derived, counter: 0 } }
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
    maxAge: CLIENT_COOKIE_SECONDS,
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
