// The session cookies of a response that is sent again (A5): a log-in or log-out since the first arrival is not undone.

import { sessionFormOf } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { parseSetCookie } from 'cookie'
import type { RequestFacts } from '../request/request-facts.ts'

export type CookieFacts = Pick<RequestFacts, 'cookies' | 'cookieSeal'>

/** By cookie name: the id of the session before the run; null where there was none. */
export type SessionsBefore = Readonly<Record<string, string | null>>

/** The sessions that the run has changed; undefined without one. */
export function sessionsBefore(facts: CookieFacts, setCookies: readonly string[]): SessionsBefore | undefined {
  const changed = setCookies.flatMap((line) => {
    const { name, value } = parseSetCookie(line)
    const before = sessionIdOf(facts, name, facts.cookies[name])
    return (before ?? sessionIdOf(facts, name, value)) ? [[name, before ?? null] as const] : []
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

/**
 * The cookies without those of a session that is not the present one any more: neither the session before the run, nor
 * the one that the run began.
 */
export function repeatedCookies(
  facts: CookieFacts,
  { setCookies, sessions }: { setCookies: string[]; sessions?: SessionsBefore },
): string[] {
  if (!sessions) return setCookies
  return setCookies.filter((line) => {
    const { name, value } = parseSetCookie(line)
    const present = Object.hasOwn(sessions, name) ? sessionIdOf(facts, name, facts.cookies[name]) : undefined
    return present === undefined || present === sessions[name] || present === sessionIdOf(facts, name, value)
  })
}

function sessionIdOf({ cookieSeal }: CookieFacts, name: string, value: string | undefined): string | undefined {
  const form = value === undefined ? undefined : sessionFormOf(value)
  return form && value !== undefined ? cookieSeal.openSession(name, value, form)?.session.id : undefined
}
