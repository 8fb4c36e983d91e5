// Reads address, origin, cookies and the gateway's decision of a request once, selects the headers for app code, and
// computes the cookies that the browser will have after an action's response, with which the renderer renders (A6).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ClientCookies, readClientCookies } from '@portico/shared/kit/cookies/draft-cookies.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { HEADERS, INTERNAL_HEADER_PREFIX } from '@portico/shared/wire/constants.ts'
import type { CookieSeal } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { type PassedRoute, takePassedRoute } from '@portico/shared/wire/passed-route.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { parseSetCookie, stringifyCookie } from 'cookie'
import type { Site } from '../site/site.ts'

export type Cookies = Record<string, string>

export interface RequestFacts extends ClientCookies {
  /** Path and query as the client sent them. */
  url: string
  /** Raw pathname, basePath included. */
  pathname: string
  search: string
  /** Public origin as the gateway reports it. */
  origin: string
  isSecure: boolean
  address: string
  userAgent: string
  /** What the gateway has decided (W9). */
  passed: PassedRoute
}

/** A request of an action or an API handler on the way through its steps. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  site: Site
  facts: RequestFacts
  /** The context of the app's code without the members that depend on the called function. */
  context: Omit<RequestContext, 'signal' | 'kind' | 'name'>
}

/** Reads the facts. Trusts X-Forwarded-*, because only the gateway reaches this service and sets them (G5). */
export function readFacts(request: IncomingMessage, sealFor: (origin: string) => CookieSeal): RequestFacts {
  const url = request.url ?? '/'
  const protocol = isSecureRequest(request) ? 'https' : 'http'
  const origin = `${protocol}://${hostOf(request) ?? 'localhost'}`
  const cookieSeal = sealFor(origin)
  return {
    url,
    ...splitTarget(url),
    origin,
    isSecure: protocol === 'https',
    ...readClientCookies(request.headers.cookie, cookieSeal),
    address: header(request, 'x-forwarded-for')?.split(',')[0]?.trim() ?? request.socket.remoteAddress ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    passed: passedOf(request),
  }
}

/** SECURITY: a header of another shape is that of a gateway of another build. Requests of other services have none. */
function passedOf({ headers }: IncomingMessage): PassedRoute {
  const passed = takePassedRoute(headers)
  return passed === 'malformed' ? { guard: '' } : passed
}

function isSecureRequest(request: IncomingMessage): boolean {
  return header(request, 'x-forwarded-proto') === 'https'
}

function hostOf(request: IncomingMessage): string | undefined {
  return header(request, 'x-forwarded-host') ?? request.headers.host
}

/** A header as one string. Node joins repeated headers with a comma, so a repeated header matches no expected value. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Headers of one hop or of one body. */
const NOT_FOR_APP_CODE: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The request's headers for app code; with `forPage` only the headers for a page's data function. */
export function appHeaders(request: IncomingMessage, { forPage = false } = {}): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(INTERNAL_HEADER_PREFIX)) continue
    if (forPage && (NOT_FOR_APP_CODE.has(name) || name === 'cookie' || PROTOCOL_HEADERS.has(name))) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([HEADERS.action, HEADERS.idempotencyKey, 'portico-fresh'])

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
