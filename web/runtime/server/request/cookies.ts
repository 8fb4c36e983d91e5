// cookies() and headers() of portico/server.

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { type SerializeOptions, stringifySetCookie } from 'cookie'
import { currentContext } from '../request-context.ts'

/** The cookies of the request, and those that the response sets. */
export interface CookieStore {
  get(name: string): string | undefined
  getAll(): { name: string; value: string }[]
  has(name: string): boolean
  /** The defaults of the options: path `/`, HttpOnly, SameSite=Lax, Secure on https sites. */
  set(name: string, value: string, options?: SerializeOptions): void
  delete(name: string, options?: Pick<SerializeOptions, 'path' | 'domain'>): void
}

/**
 * Returns the cookies of the client. `set` and `delete` add `Set-Cookie` to the response; they throw
 * when the response has begun, as in a deferred value. Throws in `getStaticProps` and
 * in pages without data function, because these are rendered once for all clients.
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
 */
export function cookies(): CookieStore {
  const context = clientContext('cookies()')
  const write = (name: string, value: string, options: SerializeOptions) => {
    if (context.isHeadSent)
      throw new Error(
        `a cookie of ${context.name} was set after the response began; set it before the data function returns`,
      )
    const secure = context.origin.startsWith('https:')
    context.setCookies.push(
      stringifySetCookie({ path: '/', httpOnly: true, sameSite: 'lax', secure, ...options, name, value }),
    )
  }
  return {
    get: (name) => (Object.hasOwn(context.cookies, name) ? context.cookies[name] : undefined),
    getAll: () => Object.entries(context.cookies).map(([name, value]) => ({ name, value })),
    has: (name) => Object.hasOwn(context.cookies, name),
    set(name, value, options = {}) {
      write(name, value, options)
      Object.defineProperty(context.cookies, name, { value, enumerable: true, configurable: true, writable: true })
    },
    delete(name, options = {}) {
      write(name, '', { ...options, maxAge: 0 })
      delete context.cookies[name]
    },
  }
}

/**
 * Returns a copy of the headers of the request. Throws where `cookies()` throws.
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
  return new Headers(clientContext('headers()').headers)
}

function clientContext(caller: string): RequestContext {
  const context = currentContext(caller)
  if (context.kind === 'static-page')
    throw new Error(
      `${caller} was called for ${context.name}, which is rendered once for all visitors; use getServerSideProps there.`,
    )
  return context
}
