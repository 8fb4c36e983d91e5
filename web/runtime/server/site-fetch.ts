// fetch() of portico/server: paths of the site reach the right service, idempotent requests are retried (D4).

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import {
  DATA_FUNCTION_REST_MS,
  FETCH_ATTEMPT_MS,
  HEADERS,
  INTERNAL_HEADER_PREFIX,
  INTERNAL_HEADERS,
} from '@portico/shared/wire/constants.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { unavailable } from '@portico/shared/wire/errors/unavailable.ts'
import { fetchWithRetries } from '@portico/shared/wire/retry.ts'
import { isApiPath } from '@portico/shared/wire/routing/urls.ts'
import { currentContextOrNone } from './request-context.ts'

/** The options of `fetch` in `portico/server`: those of the global fetch, and two more. */
export interface SiteFetchInit extends RequestInit {
  /** true sends the client's cookies (to paths of this site only). */
  cookies?: boolean
  /**
   * Longest wait for one attempt's headers, in milliseconds (default 10 000); in a data function at most what is left of its
   * own time limit, less 200 ms. After an attempt that reached the limit there is another one only if time is left: set a
   * limit of about 2000 where you want that.
   */
  timeoutMs?: number
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The global fetch with these additions. A path that begins with `/` is a path of this site: `/api/…` is sent to the
 * actions service, other paths to the files of the site, with the request id. The call is aborted with the request that
 * it is made for. GET, HEAD and OPTIONS are retried up to three times after a failure or a 5xx response, while time is
 * left; a POST never. A page whose `/api/…` cannot be reached is 503 with `Retry-After`, unless it catches the error.
 * A path of the site can be fetched during a request only; elsewhere the call throws.
 *
 * @example
 * ```tsx
 * // pages/latest.tsx
 * import type { GetServerSideProps, PageProps } from 'portico'
 * import { fetch } from 'portico/server'
 *
 * export const getServerSideProps = (async () => {
 *   const response = await fetch('/api/places', { timeoutMs: 2000 })
 *   const { places } = (await response.json()) as { places: { name: string }[] }
 *   return { props: { names: places.map(({ name }) => name) } }
 * }) satisfies GetServerSideProps
 *
 * export default function Latest({ names }: PageProps<typeof getServerSideProps>) {
 *   return <p>{names.join(', ')}</p>
 * }
 * ```
 */
export async function siteFetch(input: string | URL, init: SiteFetchInit = {}): Promise<Response> {
  const context = currentContextOrNone()
  const { cookies: withCookies, timeoutMs = FETCH_ATTEMPT_MS, ...rest } = init
  const isSitePath = typeof input === 'string' && input.startsWith('/') && !input.startsWith('//')
  if (isSitePath && !context)
    throw new Error(`fetch("${input}"): a path of the site can be fetched during a request only.`)
  const headers = new Headers(rest.headers)
  if (isSitePath && context) addSiteHeaders(headers, context, withCookies ?? false)
  const isIdempotent = IDEMPOTENT.has((rest.method ?? 'GET').toUpperCase())
  // The site calls itself: the request has the origin that the cross-site check (A4) requires.
  if (isSitePath && context && !isIdempotent) headers.set('origin', context.origin)
  const signal = AbortSignal.any([context?.signal, rest.signal].filter((each) => each != null))
  // Read again for each attempt: the limit of a data function may begin again while a body arrives.
  const leftMs = () => (context?.endsAt ?? Number.POSITIVE_INFINITY) - performance.now() - DATA_FUNCTION_REST_MS
  const sendOnce = (own: RequestInit) => (isSitePath && context ? context.fetchSite(input, own) : fetch(input, own))
  const send = () => {
    const limitMs = Math.max(0, Math.floor(Math.min(timeoutMs, leftMs())))
    return inTime(limitMs, signal, (ended) => sendOnce({ ...rest, headers, signal: ended }))
  }
  const retries = { repeats: { serverErrors: isIdempotent, networkErrors: isIdempotent }, signal, leftMs }
  if (!isSitePath || !isApiPath(pathOf(input))) return fetchWithRetries(send, retries)
  return ofService(input, signal, () => fetchWithRetries(send, retries))
}

/** An error of a service that is away makes the page 503 (E7). Its own responses are for the page to read. */
async function ofService(path: string, signal: AbortSignal, request: () => Promise<Response>): Promise<Response> {
  const failure = `fetch("${pathOf(path)}"): the actions service`
  try {
    const response = await request()
    if (response.headers.get(INTERNAL_HEADERS.code) !== ('overloaded' satisfies ErrorCode)) return asOfSite(response)
    await response.body?.cancel()
  } catch (error) {
    if (signal.aborted || isMistake(error)) throw error
    throw unavailable(`${failure} did not respond`, error)
  }
  throw unavailable(`${failure} is overloaded`)
}

/** With the headers that a client would receive: what a page passes on with `setHeaders` may be all of them. */
function asOfSite(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const name of response.headers.keys()) if (name.startsWith(INTERNAL_HEADER_PREFIX)) headers.delete(name)
  return Object.defineProperty(response, 'headers', { value: headers })
}

/** fetch reports a malformed request as it reports a failed connection, but without the cause that the latter has. */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError && error.cause === undefined
}

/** The headers must arrive in time; the body may take as long as the request that it is for. */
async function inTime(limitMs: number, signal: AbortSignal, send: (ended: AbortSignal) => Promise<Response>) {
  const late = new AbortController()
  const end = () => late.abort(new DOMException(`no response within ${limitMs} ms`, 'TimeoutError'))
  const timer = setTimeout(end, limitMs)
  try {
    return await send(AbortSignal.any([signal, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}

function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0]!
}

function addSiteHeaders(headers: Headers, context: RequestContext, withCookies: boolean): void {
  headers.set(HEADERS.requestId, context.requestId)
  const origin = new URL(context.origin)
  headers.set('x-forwarded-proto', origin.protocol.slice(0, -1))
  headers.set('x-forwarded-host', origin.host)
  if (!withCookies) return
  if (context.kind === 'static-page')
    throw new Error(`fetch({ cookies: true }) was called for ${context.name}, which is rendered once for all visitors.`)
  const pairs = Object.entries(context.cookies).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  if (pairs.length > 0) headers.set('cookie', pairs.join('; '))
}
