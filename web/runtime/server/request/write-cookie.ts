// Writes one cookie: for the response, and for code that reads cookies later in the same request.

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { COOKIE_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import { parseSetCookie, type SetCookie, stringifySetCookie } from 'cookie'

/** Throws when the browser would not get the cookie: too large, or after the head of the response. */
export function writeCookie(context: RequestContext, cookie: SetCookie): void {
  const secure = context.origin.startsWith('https:')
  write(context, cookie, stringifySetCookie({ path: '/', httpOnly: true, sameSite: 'lax', secure, ...cookie }))
}

/** Writes the value of a Set-Cookie header as it is. Throws where `writeCookie` throws. */
export function writeCookieLine(context: RequestContext, line: string): void {
  write(context, parseSetCookie(line), line)
}

function write(context: RequestContext, cookie: SetCookie, line: string): void {
  const { name, maxAge, expires } = cookie
  const bytes = Buffer.byteLength(line)
  if (bytes > COOKIE_LIMIT_BYTES)
    throw new Error(
      `cookie "${name}": ${bytes} bytes are too many; browsers keep ${COOKIE_LIMIT_BYTES} bytes with the attributes. Keep large data in a database, and its key in the cookie.`,
    )
  if (Object.isFrozen(context.setCookies))
    throw new Error(`cookie "${name}": the head of the response has been sent; set cookies before the body`)
  // RFC 6265bis section 4.1: a response sets a cookie once.
  const earlier = context.setCookies.findIndex((text) => text.startsWith(`${name}=`) && sameScope(text, line))
  if (earlier >= 0) context.setCookies.splice(earlier, 1)
  context.setCookies.push(line)
  // RFC 6265 section 5.3: Max-Age wins over Expires.
  if (maxAge === undefined ? expires !== undefined && expires.getTime() <= Date.now() : maxAge <= 0)
    delete context.cookies[name]
  else
    Object.defineProperty(context.cookies, name, {
      value: cookie.value ?? '',
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

/** A cookie of another path or domain is another cookie. */
function sameScope(left: string, right: string): boolean {
  const scopeOf = (text: string) => text.match(/; (?:Domain|Path)=[^;]*/gi)?.join('')
  return scopeOf(left) === scopeOf(right)
}
