// The cookies of a request, one value for each name.

import { parseCookie } from 'cookie'
import type { CookieSeal } from '../../wire/cookies/cookie-seal.ts'
import { sessionFormOf } from './cookie-seal.ts'

/**
 * Parses a Cookie header into an object without a prototype. Of equal names the first counts, except for values that this
 * site has sealed: there the valid one counts, and two different valid ones are both ignored and reported.
 *
 * SECURITY: a sibling subdomain can put a cookie of the same name in front of that of the site (cookie tossing). A forged
 * value does not hide the session of the client, and a genuine session of the attacker does not replace it. On https
 * browsers accept a `__Host-` cookie from its own host only.
 */
export function readCookies(header: string | undefined, seal: CookieSeal): Record<string, string> {
  const cookies = Object.create(null) as Record<string, string>
  if (header === undefined) return cookies
  for (const [name, value] of Object.entries(parseCookie(header))) if (value !== undefined) cookies[name] = value
  for (const [name, values] of repeatedSeals(header)) {
    const valid = values.filter((value) => identityOf(name, value, seal) !== undefined)
    if (new Set(valid.map((value) => identityOf(name, value, seal))).size > 1) {
      delete cookies[name]
      seal.reportIgnored(name, 'two valid values of this name')
    } else cookies[name] = valid[0] ?? values[0]!
  }
  return cookies
}

/**
 * Equal for copies of one session, whatever was written between them, and for all valid values of draft mode: its cookies
 * may have several paths, and the browser sends the one with the longest path first.
 */
function identityOf(name: string, value: string, seal: CookieSeal): string | undefined {
  if (value.startsWith('d1.')) return seal.openDraft(name, value) && 'draft'
  const form = sessionFormOf(value)
  return form ? seal.openSession(name, value, form)?.session.id : seal.verify(name, value)
}

/** Names with different values of which at least one has the form of a sealed value. */
function repeatedSeals(header: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  // Most requests end here.
  if (!/= ?[csed]1\./.test(header)) return found
  for (const pair of header.split(';')) {
    // One pair, parsed by the same rules as the whole header.
    const [[name, value] = []] = Object.entries(parseCookie(pair))
    if (name === undefined || value === undefined) continue
    const values = found.get(name)
    if (!values) found.set(name, [value])
    else if (!values.includes(value)) values.push(value)
  }
  for (const [name, values] of found)
    if (values.length < 2 || !values.some((value) => /^[csed]1\./.test(value))) found.delete(name)
  return found
}
