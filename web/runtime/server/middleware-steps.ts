// next() and rewrite() of portico/server: what middleware returns besides its own responses (X15).

import { NEXT_HEADER, REWRITE_HEADER, writeRequestHeaders } from '@portico/shared/wire/middleware/step-headers.ts'
import { currentContext } from './request-context.ts'

/** The options of `next()` and `rewrite()`. */
export interface StepOptions {
  /** Changes of the request's headers, for everything that receives the request; null removes a header. */
  requestHeaders?: Readonly<Record<string, string | null>>
  /** Headers of the response. */
  headers?: HeadersInit
}

/**
 * A function that the gateway calls before everything else of the site: `export function middleware(request)` in
 * `middleware.ts` next to `pages/`. It returns a Response, `next()`, `rewrite()` or nothing, which is `next()`. The request
 * has no body.
 */
export type Middleware = (request: Request) => MiddlewareResult | Promise<MiddlewareResult>
/** What middleware returns; nothing lets the request continue. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing lets the request continue.
export type MiddlewareResult = Response | null | undefined | void

/** A condition of a matcher; with a `value`, a regular expression must match all of the request's value. */
export type MatcherCondition =
  | { type: 'header' | 'cookie' | 'query'; key: string; value?: string }
  | { type: 'host'; value: string }

/** A matcher with conditions. */
export interface MatcherConfig {
  /** A path pattern, as in redirects of portico.config.ts. */
  source: string
  /** All must hold. */
  has?: readonly MatcherCondition[]
  /** None may hold. */
  missing?: readonly MatcherCondition[]
}

/** The export `config` of middleware, written as literals. Without a matcher the middleware runs for every path. */
export interface MiddlewareConfig {
  matcher?: string | readonly (string | MatcherConfig)[]
}

/**
 * Lets the request continue, with other headers of the request or more headers of the response.
 *
 * @example
 * ```ts
 * // middleware.ts
 * import { next } from 'portico/server'
 *
 * export function middleware(request: Request) {
 *   const group = new URL(request.url).searchParams.has('beta') ? 'beta' : 'stable'
 *   return next({ requestHeaders: { 'x-group': group }, headers: { 'x-served-to': group } })
 * }
 * ```
 */
export function next(options: StepOptions = {}): Response {
  return stepOf(NEXT_HEADER, '1', options)
}

/**
 * Serves another path of the site, without basePath, or another origin that `rewriteOrigins` of portico.config.ts names.
 * The address in the browser remains.
 *
 * @example
 * ```ts
 * // lib/own-home.ts
 * import { cookies, rewrite } from 'portico/server'
 *
 * // Called by middleware() of middleware.ts.
 * export function ownHome(request: Request) {
 *   const isHome = new URL(request.url).pathname === '/'
 *   return isHome && cookies().has('member') ? rewrite('/members') : undefined
 * }
 * ```
 */
export function rewrite(destination: string | URL, options: StepOptions = {}): Response {
  const address = String(destination)
  // SECURITY: URLs read a backslash as a slash, so that a path with two of them would name another host.
  if (!/^(\/(?![/\\])|https?:\/\/)/.test(address))
    throw new Error(`rewrite("${address}"): must be a path that begins with one "/", or an http(s) address`)
  return stepOf(REWRITE_HEADER, address, options)
}

function stepOf(name: string, value: string, { requestHeaders, headers }: StepOptions): Response {
  const own = new Headers(headers)
  own.set(name, value)
  if (requestHeaders) writeRequestHeaders(own, changed(requestHeaders))
  return new Response(null, { headers: own })
}

function changed(changes: Readonly<Record<string, string | null>>): Headers {
  const context = currentContext('requestHeaders')
  if (context.kind !== 'middleware') throw new Error('requestHeaders: next() and rewrite() are for middleware')
  const all = new Headers(context.headers)
  for (const [name, value] of Object.entries(changes))
    if (value === null) all.delete(name)
    else all.set(name, value)
  return all
}
