// `next/server`: the request and the response of middleware (X15) and of handlers of the edge runtime (X7).

import { NEXT_HEADER, REWRITE_HEADER, writeRequestHeaders } from '@portico/shared/wire/middleware/step-headers.ts'
import { after as runAfter } from '../server/after.ts'
import type { MiddlewareConfig, MiddlewareResult } from '../server/middleware-steps.ts'
import { NextUrl, type SiteOfUrl } from './next-url.ts'
import { parseUserAgent, type UserAgent } from './user-agent.ts'
import { RequestCookies, ResponseCookies } from './web-cookies.ts'

export type { RequestCookie, ResponseCookie } from './web-cookies.ts'

/** A web Request with `nextUrl` and `cookies`. */
export class NextRequest extends Request {
  readonly nextUrl: NextUrl
  readonly cookies: RequestCookies

  constructor(input: URL | RequestInfo, init: RequestInit & SiteOfUrl & { duplex?: 'half' } = {}) {
    // Node requires the member for a body that is a stream.
    super(input, init.body ? ({ ...init, duplex: 'half' } as RequestInit) : init)
    this.nextUrl = new NextUrl(this.url, init)
    this.cookies = new RequestCookies(this.headers)
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** A web Response with `cookies`. */
export class NextResponse<_Body = unknown> extends Response {
  readonly cookies: ResponseCookies

  constructor(body?: BodyInit | null, init: ResponseInit = {}) {
    super(body, init)
    this.cookies = new ResponseCookies(this.headers)
  }

  static override json<Body>(body: Body, init?: ResponseInit): NextResponse<Body> {
    const response = Response.json(body, init)
    return new NextResponse(response.body, response)
  }

  /** The address must be absolute. */
  static override redirect(url: string | URL, init: number | ResponseInit = {}): NextResponse {
    const { status = 307, ...more } = typeof init === 'number' ? { status: init } : init
    if (!REDIRECTS.includes(status))
      throw new RangeError(`NextResponse.redirect(): status=${status} is not allowed; allowed: ${REDIRECTS.join(', ')}`)
    if (!URL.canParse(url)) throw new Error(`NextResponse.redirect(): url="${url}" must be an absolute URL`)
    const headers = new Headers(more.headers)
    headers.set('location', String(url))
    return new NextResponse(null, { ...more, headers, status })
  }

  /** Serves another address; it must be absolute. */
  static rewrite(destination: string | URL, init: StepInit = {}): NextResponse {
    if (!URL.canParse(destination))
      throw new Error(`NextResponse.rewrite(): url="${destination}" must be an absolute URL`)
    return stepOf('rewrite', [REWRITE_HEADER, String(destination)], init)
  }

  /** Lets the request continue. */
  static next(init: StepInit = {}): NextResponse {
    return stepOf('next', [NEXT_HEADER, '1'], init)
  }
}

interface StepInit extends ResponseInit {
  /** All headers that the request has from now on. */
  request?: { headers?: Headers }
}

function stepOf(method: string, [name, value]: [string, string], { request, ...init }: StepInit): NextResponse {
  const headers = new Headers(init.headers)
  headers.set(name, value)
  if (request?.headers !== undefined) {
    if (!(request.headers instanceof Headers))
      throw new TypeError(`NextResponse.${method}(): request.headers must be an instance of Headers`)
    writeRequestHeaders(headers, request.headers)
  }
  return new NextResponse(null, { ...init, headers })
}

/** Runs work behind the response, as `after` of `portico/server`. */
export function after(task: Promise<unknown> | (() => unknown)): void {
  if (typeof task === 'function') {
    runAfter(task)
    return
  }
  // The promise may fail before the response has ended, when the work behind the response begins to wait for it.
  task.catch(() => {})
  runAfter(() => task)
}

/** What the header `User-Agent` says of browser, device and system. */
export function userAgent({ headers }: { headers: Headers }): UserAgent {
  return parseUserAgent(headers.get('user-agent') ?? undefined)
}

export { parseUserAgent as userAgentFromString }

/** That of the web platform. */
export const URLPattern = globalThis.URLPattern

/** The second argument of middleware. */
export class NextFetchEvent {
  readonly sourcePage: string
  readonly request: NextRequest
  readonly #waitUntil: ((work: Promise<unknown>) => void) | undefined

  constructor({ request, page, context }: FetchEventInit) {
    this.request = request
    this.sourcePage = page
    this.#waitUntil = context?.waitUntil
  }

  /** Keeps the process until the promise settles, also after the response. */
  waitUntil(work: Promise<unknown>): void {
    this.#waitUntil?.(work)
  }

  passThroughOnException(): never {
    throw new Error(
      'event.passThroughOnException(): is not supported: a request whose middleware fails never continues; remove the call',
    )
  }
}

interface FetchEventInit {
  request: NextRequest
  page: string
  context?: { waitUntil: (work: Promise<unknown>) => void } | undefined
}

export type NextMiddlewareResult = MiddlewareResult
export type NextMiddleware = (
  request: NextRequest,
  event: NextFetchEvent,
) => NextMiddlewareResult | Promise<NextMiddlewareResult>
export type NextProxy = NextMiddleware
export type { MiddlewareConfig }
export type ProxyConfig = MiddlewareConfig
