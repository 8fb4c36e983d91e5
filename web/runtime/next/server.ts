// `next/server`: the request and the response of handlers of the edge runtime (X7). What only middleware has is refused by
// name.

import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { after as runAfter } from '../server/request/after.ts'
import { parseUserAgent, type UserAgent } from './user-agent.ts'
import { RequestCookies, ResponseCookies } from './web-cookies.ts'

export type { RequestCookie, ResponseCookie } from './web-cookies.ts'

interface SiteOfUrl {
  nextConfig?: { basePath?: string } | undefined
}

/** The URL of a request. `pathname` is without basePath, which `href` has. */
export class NextUrl extends URL {
  #basePath = ''

  constructor(url: string | URL, { nextConfig: { basePath = '' } = {} }: SiteOfUrl = {}) {
    super(url)
    if (stripBasePath(super.pathname, basePath) !== undefined) this.#basePath = basePath
  }

  get basePath(): string {
    return this.#basePath
  }

  set basePath(value: string) {
    const { pathname } = this
    this.#basePath = value === '' || value.startsWith('/') ? value : `/${value}`
    this.pathname = pathname
  }

  override get pathname(): string {
    return stripBasePath(super.pathname, this.#basePath) ?? super.pathname
  }

  override set pathname(value: string) {
    const path = value.startsWith('/') ? value : `/${value}`
    super.pathname = path === '/' && this.#basePath !== '' ? this.#basePath : this.#basePath + path
  }

  clone(): NextUrl {
    return new NextUrl(this.href, { nextConfig: { basePath: this.#basePath } })
  }
}

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

  get ip(): never {
    throw new Error(`request.ip ${MISSING}; read the header x-forwarded-for`)
  }

  get geo(): never {
    throw new Error(`request.geo ${MISSING}; read the header of the CDN in front of the site`)
  }
}

const MISSING = 'is not part of Portico'
const MIDDLEWARE = 'belongs to middleware, which is not supported; return a Response'
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

  static rewrite(_destination: string | URL, _init?: ResponseInit): never {
    throw new Error(`NextResponse.rewrite() ${MIDDLEWARE}, or write rewrites to next.config`)
  }

  static next(_init?: ResponseInit): never {
    throw new Error(`NextResponse.next() ${MIDDLEWARE}`)
  }
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

/** For types of middleware, which is not supported. */
export interface NextFetchEvent {
  waitUntil(work: Promise<unknown>): void
}
export type NextMiddleware = (request: NextRequest, event: NextFetchEvent) => unknown
