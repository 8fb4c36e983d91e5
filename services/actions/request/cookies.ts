// Computes the cookies that the browser will have after an action's response; the renderer renders with them (A6).

import { parseSetCookie, stringifyCookie } from 'cookie'
import type { Cookies } from './request-facts.ts'

/** The client's cookies with the Set-Cookie values applied, as a Cookie header; undefined without any cookie. */
export function mergeCookies(cookies: Cookies, setCookies: readonly string[], now: number): string | undefined {
  const merged: Record<string, string | undefined> = { ...cookies }
  for (const text of setCookies) {
    const { name, value, maxAge, expires } = parseSetCookie(text)
    // RFC 6265 section 5.3: Max-Age wins over Expires.
    const isExpired = maxAge === undefined ? expires !== undefined && expires.getTime() <= now : maxAge <= 0
    if (isExpired || value === undefined) delete merged[name]
    else merged[name] = value
  }
  return Object.keys(merged).length === 0 ? undefined : stringifyCookie(merged)
}
