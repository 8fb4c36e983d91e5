// Who submits (A5): the session cookie's hash, else the visitor cookie that is minted at the first submission. Also
// keeps one visitor from filling the service with work.

import { createHmac, hash, randomBytes } from 'node:crypto'
import { stringifySetCookie } from 'cookie'
import { KEYLESS_WINDOW_MS, VISITOR_COOKIE } from '../../shared/wire/constants.ts'
import type { Cookies } from './request-facts.ts'

/** The cookie that sites keep their session in; sites with another name are told apart by the visitor cookie. */
const SESSION_COOKIE = 'session'
/** Browsers cap a cookie's life at 400 days (RFC 6265bis section 5.5). */
const VISITOR_MAX_AGE_SECONDS = 400 * 24 * 60 * 60

export interface Visitor {
  /** Binds records; never sent anywhere. */
  id: string
  /** Value of the visitor cookie to set; undefined when the visitor has one or has a session. */
  mint?: string
}

export interface VisitorFacts {
  cookies: Cookies
  /** Idempotency key of the submission, when it has one. */
  key: string | undefined
  address: string
  userAgent: string
  /** Milliseconds since the epoch. */
  now: number
}

/**
 * Tells the visitor. Without any cookie and with a key, the cookie is derived from the key: two copies of a first
 * submission that arrive together, and its resend after the answer was lost, are then the same visitor's. Without a
 * key too (a form in cacheable HTML), address and user agent must do for the ten seconds that such a record lives, also
 * when the form comes again with the cookie that the first answer set: the cookie says when it was minted.
 */
export function identifyVisitor(facts: VisitorFacts, secret: string): Visitor {
  const session = facts.cookies[SESSION_COOKIE]
  if (session) return { id: `session:${sha256(session)}` }
  const known = facts.cookies[VISITOR_COOKIE]
  if (known && /^[A-Za-z0-9_-]{22,64}$/.test(known)) {
    const isFirstAgain = facts.key === undefined && wasMintedJustNow(known, facts.now)
    return { id: isFirstAgain ? networkId(facts) : `visitor:${known}` }
  }
  if (facts.key !== undefined) {
    // SECURITY: keyed, so that the key of a submission cannot be turned into a visitor's cookie by anyone else.
    const derived = createHmac('sha256', secret).update(`visitor.${facts.key}`).digest('base64url')
    return { id: `visitor:${derived}`, mint: derived }
  }
  return { id: networkId(facts), mint: `${facts.now.toString(36)}-${randomBytes(24).toString('base64url')}` }
}

/** A visitor who lies about the time is one of those without a cookie, as anyone can be. */
function wasMintedJustNow(cookie: string, now: number): boolean {
  const time = Number.parseInt(/^([0-9a-z]{8,9})-/.exec(cookie)?.[1] ?? '', 36)
  // The clocks of two replicas differ a little, in either direction.
  return Math.abs(now - time) < KEYLESS_WINDOW_MS
}

/** The visitor before the body is read: cookies, else address and user agent. For limits only. */
export function visitorForLimits(facts: Pick<VisitorFacts, 'cookies' | 'address' | 'userAgent'>): string {
  // Held in memory while the request lasts and written nowhere, so not hashed.
  const cookie = facts.cookies[SESSION_COOKIE] ?? facts.cookies[VISITOR_COOKIE]
  return cookie === undefined ? `${facts.address}\0${facts.userAgent}` : `cookie\0${cookie}`
}

function networkId({ address, userAgent }: Pick<VisitorFacts, 'address' | 'userAgent'>): string {
  return `network:${sha256(`${address}\0${userAgent}`)}`
}

/** The Set-Cookie value of a minted visitor cookie. */
export function visitorCookie(value: string, basePath: string, isSecure: boolean): string {
  return stringifySetCookie({
    name: VISITOR_COOKIE,
    value,
    path: basePath === '' ? '/' : basePath,
    maxAge: VISITOR_MAX_AGE_SECONDS,
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
  })
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Counts what runs per visitor. */
export interface VisitorLimit {
  /** Takes a place; undefined when all are taken. The returned function gives it back. */
  enter(visitor: string): (() => void) | undefined
}

export function createVisitorLimit(places: number): VisitorLimit {
  const running = new Map<string, number>()
  return {
    enter(visitor) {
      const count = running.get(visitor) ?? 0
      if (count >= places) return undefined
      running.set(visitor, count + 1)
      return () => {
        const left = (running.get(visitor) ?? 1) - 1
        if (left === 0) running.delete(visitor)
        else running.set(visitor, left)
      }
    },
  }
}
