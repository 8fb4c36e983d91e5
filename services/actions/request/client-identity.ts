// Which client sends a submission (A5): the one place where this is decided. Records are bound to it, so a response is
// repeated only to the client that it was made for.

import { createHmac, hash, randomBytes } from 'node:crypto'
import { stringifySetCookie } from 'cookie'
import { CLIENT_COOKIE } from '../../shared/wire/constants.ts'
import type { Cookies } from './request-facts.ts'

/** The cookie that sites keep their session in; clients of sites that use another name are known by the client cookie. */
const SESSION_COOKIE = 'session'
/** Browsers cap a cookie's life at 400 days (RFC 6265bis section 5.5). */
const CLIENT_COOKIE_SECONDS = 400 * 24 * 60 * 60
/** Id, and the counter behind a dot. Older versions wrote the id alone, which counts as 0. */
const CLIENT_COOKIE_VALUE = /^([A-Za-z0-9_-]{22,64})(?:\.(\d{1,9}))?$/
/** The counter starts again behind it: only neighbours must differ. */
const LARGEST_COUNTER = 999_999_999

export interface ClientCookie {
  id: string
  /** Number of submissions of forms without a key that were completed with this cookie. */
  counter: number
}

export type ClientIdentity =
  /** `id` binds records and is never sent anywhere. */
  | { kind: 'session' | 'cookie' | 'key'; id: string; cookie: ClientCookie | undefined }
  /** SECURITY: an address or a User-Agent is no identity. Many clients share them, so nothing is kept for such a client. */
  | { kind: 'none'; id: undefined; cookie: undefined }

export interface ClientFacts {
  cookies: Cookies
  /** Idempotency key of the submission, when it has one. */
  key: string | undefined
}

/**
 * Session, else client cookie, else key. A key stands for the client cookie that is derived from it and set with the
 * response: two copies of a first submission, and its resend with that cookie, are then of one client.
 */
export function identifyClient({ cookies, key }: ClientFacts, secret: string): ClientIdentity {
  const cookie = parseClientCookie(cookies[CLIENT_COOKIE])
  const session = cookies[SESSION_COOKIE]
  if (session) return { kind: 'session', id: `session:${hash('sha256', session, 'base64url')}`, cookie }
  if (cookie) return { kind: 'cookie', id: `visitor:${cookie.id}`, cookie }
  if (key === undefined) return { kind: 'none', id: undefined, cookie: undefined }
  // SECURITY: keyed, so that no other client can turn the key of a submission into a client cookie.
  const derived = createHmac('sha256', secret).update(`visitor.${key}`).digest('base64url')
  return { kind: 'key', id: `visitor:${derived}`, cookie: { id: derived, counter: 0 } }
}

function parseClientCookie(value: string | undefined): ClientCookie | undefined {
  const [, id, counter = '0'] = CLIENT_COOKIE_VALUE.exec(value ?? '') ?? []
  return id === undefined ? undefined : { id, counter: Number(counter) }
}

/** A client cookie for a client that has none. */
export function mintClientCookie(): ClientCookie {
  return { id: randomBytes(24).toString('base64url'), counter: 0 }
}

/** The cookie after a completed submission without a key: the same fields sent again are another submission. */
export function rotateClientCookie({ id, counter }: ClientCookie): ClientCookie {
  return { id, counter: counter >= LARGEST_COUNTER ? 0 : counter + 1 }
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
