// cookies() and headers() of portico/server.

import { type SerializeOptions, stringifySetCookie } from 'cookie'
import type { RequestContext } from '../../../services/shared/wire/bundles.ts'
import { currentContext } from './request-context.ts'

export interface CookieStore {
  get(name: string): string | undefined
  getAll(): { name: string; value: string }[]
  has(name: string): boolean
  /** Path `/`, HttpOnly and SameSite=Lax unless the options say otherwise; Secure on https sites. */
  set(name: string, value: string, options?: SerializeOptions): void
  delete(name: string, options?: Pick<SerializeOptions, 'path' | 'domain'>): void
}

/** The visitor's cookies. Throws in getStaticProps and in pages without data function: they are the same for all. */
export function cookies(): CookieStore {
  const context = perVisitor('cookies()')
  const write = (name: string, value: string, options: SerializeOptions) => {
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

/** The request's headers. Throws where cookies() throws. */
export function headers(): Headers {
  return new Headers(perVisitor('headers()').headers)
}

function perVisitor(caller: string): RequestContext {
  const context = currentContext(caller)
  if (context.kind === 'static-page')
    throw new Error(
      `${caller} was called for ${context.name}, which is rendered once for all visitors; use getServerSideProps there.`,
    )
  return context
}
