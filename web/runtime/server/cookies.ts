// cookies(), headers() and setHeaders() of portico/server. A cookie is written for the response, and for code that reads
// cookies later in the same request.

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { COOKIE_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import type { CookieSeal } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { HOP_BY_HOP } from '@portico/shared/wire/policy/request-headers.ts'
import { parseSetCookie, type SerializeOptions, type SetCookie, stringifyCookie, stringifySetCookie } from 'cookie'
import { currentContext } from './request-context.ts'

/** Throws when the browser would not get the cookie: too large, or after the head of the response. */
export function writeCookie(context: RequestContext, cookie: SetCookie): void {
  const secure = context.origin.startsWith('https:')
  write(context, cookie, stringifySetCookie({ path: '/', httpOnly: true, sameSite: 'lax', secure, ...cookie }))
}

/** Writes the value of a Set-Cookie header as it is. Throws where `writeCookie` throws. */
function writeCookieLine(context: RequestContext, line: string): void {
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

/** The options of a cookie: those of the package `cookie`, and `signed`. */
export interface CookieOptions extends SerializeOptions {
  /** The browser can read the value, but no client can change it, move it to another name or keep it for longer. */
  signed?: boolean
}

/** The cookies of the request, and those that the response sets. */
export interface CookieStore {
  /** With `signed` the value that this site has signed under this name; undefined for every other value. */
  get(name: string, options?: Pick<CookieOptions, 'signed'>): string | undefined
  getAll(): { name: string; value: string }[]
  has(name: string): boolean
  /**
   * The defaults of the options: path `/`, HttpOnly, SameSite=Lax, Secure on https sites. Throws for a cookie of more than
   * 4096 bytes, and after the head of the response was sent.
   */
  set(name: string, value: string, options?: CookieOptions): void
  delete(name: string, options?: Pick<CookieOptions, 'path' | 'domain'>): void
}

/**
 * Returns the cookies of the client. `set` and `delete` add `Set-Cookie` to the response. Throws in `getStaticProps` and
 * in pages without data function, because these are rendered once for all clients. For who is signed in, use
 * `createSession`.
 *
 * @example
 * ```ts
 * // actions/choose-theme.ts
 * 'use server'
 * import { cookies } from 'portico/server'
 *
 * export async function chooseTheme(form: FormData) {
 *   cookies().set('theme', String(form.get('theme')), { maxAge: 365 * 24 * 60 * 60 })
 * }
 * ```
 *
 * With `signed: true` the site recognises its own value: any other value is read as undefined.
 *
 * @example
 * ```ts
 * // lib/price-group.ts
 * import { cookies } from 'portico/server'
 *
 * export function choosePriceGroup(group: string) {
 *   cookies().set('price-group', group, { signed: true, maxAge: 24 * 60 * 60 })
 * }
 *
 * export function priceGroup() {
 *   return cookies().get('price-group', { signed: true }) ?? 'public'
 * }
 * ```
 */
export function cookies(): CookieStore {
  const context = clientContext('cookies()')
  const { cookies: given } = context
  return {
    get(name, { signed = false } = {}) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      return signed && value !== undefined ? readSigned(sealOf(context, 'cookies()'), name, value) : value
    },
    getAll: () => Object.entries(given).map(([name, value]) => ({ name, value })),
    has: (name) => Object.hasOwn(given, name),
    set(name, value, { signed = false, ...options } = {}) {
      if (signed && options.domain !== undefined)
        throw new Error(
          `cookies().set("${name}"): domain is not allowed with signed: the value is for this origin alone`,
        )
      const sent = signed ? sealOf(context, 'cookies()').sign(name, `${expiryOf(options)}.${value}`) : value
      writeCookie(context, { ...options, name, value: sent })
    },
    delete: (name, options = {}) => writeCookie(context, { ...options, name, value: '', maxAge: 0 }),
  }
}

/** SECURITY: the end of the cookie's life is signed too, because a client can keep a cookie for as long as it likes. */
function expiryOf({ maxAge, expires }: SerializeOptions): string {
  if (maxAge !== undefined) return String(Math.floor(Date.now() / 1000) + maxAge)
  return expires ? String(Math.floor(expires.getTime() / 1000)) : ''
}

function readSigned(seal: CookieSeal, name: string, value: string): string | undefined {
  const text = seal.verify(name, value)
  if (text === undefined) return undefined
  const dot = text.indexOf('.')
  const expiry = text.slice(0, dot)
  return expiry !== '' && Number(expiry) * 1000 <= Date.now() ? undefined : text.slice(dot + 1)
}

/**
 * Returns a copy of the headers of the request; `cookie` has the cookies that `cookies()` has, with those that the response
 * sets. Throws where `cookies()` throws.
 *
 * @example
 * ```ts
 * // lib/preferred-language.ts
 * import { headers } from 'portico/server'
 *
 * export function preferredLanguage() {
 *   return headers().get('accept-language')?.split(',')[0] ?? 'en'
 * }
 * ```
 */
export function headers(): Headers {
  return new Headers(headersOf(clientContext('headers()')))
}

/** The headers of the request as code of the site sees them now. */
export function headersOf({ headers, cookies, setCookies }: RequestContext): Readonly<Record<string, string>> {
  if (setCookies.length === 0) return headers
  const { cookie: _earlier, ...others } = headers
  return Object.keys(cookies).length === 0 ? others : { ...others, cookie: stringifyCookie(cookies) }
}

/**
 * Adds headers to the response of the action, data function or API handler that runs, as in what a library returns as
 * `Headers`. Each `Set-Cookie` is added to the cookies of the response, as it is, and `cookies()` reads it from then on;
 * any other header replaces an earlier one of its name. What describes another body, its caching or its connection
 * (`Content-Type`, `Content-Length`, `Cache-Control`, `ETag`, `Location` …) is left out: Portico writes these headers. Throws
 * where `cookies().set` throws, in middleware, which returns its headers, and for names that begin with
 * `portico-internal-`.
 *
 * @example
 * ```ts
 * // actions/sign-out.ts
 * 'use server'
 * import { headers, setHeaders } from 'portico/server'
 *
 * declare const auth: { signOut(request: { headers: Headers }): Promise<{ headers: Headers }> }
 *
 * export async function signOut() {
 *   setHeaders((await auth.signOut({ headers: headers() })).headers)
 * }
 * ```
 */
export function setHeaders(added: HeadersInit): void {
  const context = clientContext('setHeaders()')
  if (!context.setHeader)
    throw new Error(
      `setHeaders() was called in ${context.name}, which has no response of its own; return the headers there`,
    )
  for (const [name, value] of new Headers(added)) {
    if (name === 'set-cookie') writeCookieLine(context, value)
    else if (!isOfOneBody(name)) context.setHeader(name, value)
  }
}

/** RFC 9110 sections 7.6.1, 8 and 10.2.2, RFC 9111 section 5. */
function isOfOneBody(name: string): boolean {
  return HOP_BY_HOP.has(name) || name.startsWith('content-') || OF_ONE_RESPONSE.has(name)
}

const OF_ONE_RESPONSE: ReadonlySet<string> = new Set([
  'accept-ranges',
  'age',
  'cache-control',
  'cdn-cache-control',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'pragma',
  'server',
  'vary',
])

/** The request of a client. */
export function clientContext(caller: string): RequestContext {
  const context = currentContext(caller)
  if (context.kind === 'static-page')
    throw new Error(
      `${caller} was called for ${context.name}, which is rendered once for all visitors; use getServerSideProps there.`,
    )
  return context
}

export function sealOf({ cookieSeal, name }: RequestContext, caller: string): CookieSeal {
  if (!cookieSeal) throw new Error(`${caller}: the service that runs ${name} has no keys for signed cookies`)
  return cookieSeal
}
