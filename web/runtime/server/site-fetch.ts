// fetch() of portico/server: the site's own paths reach the right service, idempotent calls are tried again (D4).

import type { RequestContext } from '../../../services/shared/wire/bundles.ts'
import { HEADERS } from '../../../services/shared/wire/constants.ts'
import { fetchWithRetries } from '../../../services/shared/wire/retry.ts'
import { isApiPath } from '../../../services/shared/wire/urls.ts'
import { currentContextOrNone } from './request-context.ts'

export interface SiteFetchInit extends RequestInit {
  /** true passes the visitor's cookies on (to paths of this site only). */
  cookies?: boolean
  /** Longest wait for one attempt's headers, in milliseconds (default 10 000). */
  timeoutMs?: number
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Like the global fetch, plus: a path beginning with `/` is of this site (`/api/…` goes to the actions service, others
 * to the site's files); the request id goes along; the call ends with the request it is made for; GET, HEAD and OPTIONS
 * that fail or answer 5xx are tried up to three more times. Never a POST.
 */
export async function siteFetch(input: string | URL, init: SiteFetchInit = {}): Promise<Response> {
  const context = currentContextOrNone()
  const { cookies: withCookies, timeoutMs = 10_000, ...rest } = init
  const isSitePath = typeof input === 'string' && input.startsWith('/') && !input.startsWith('//')
  if (isSitePath && !context)
    throw new Error(`fetch("${input}"): a path of the site can be fetched during a request only.`)
  const url = isSitePath && context ? siteUrl(input, context) : input
  const headers = new Headers(rest.headers)
  if (isSitePath && context) addSiteHeaders(headers, context, withCookies ?? false)
  const isIdempotent = IDEMPOTENT.has((rest.method ?? 'GET').toUpperCase())
  // The site calls itself: what the cross-site check (A4) asks for is said.
  if (isSitePath && context && !isIdempotent) headers.set('origin', context.origin)
  const signal = AbortSignal.any([context?.signal, rest.signal].filter((each) => each != null))
  return fetchWithRetries(() => fetchInTime(url, { ...rest, headers }, signal, timeoutMs), {
    repeats: { serverErrors: isIdempotent, networkErrors: isIdempotent },
    signal,
  })
}

/** The headers must come in time; the body may take as long as the request that it is for. */
async function fetchInTime(url: string | URL, init: RequestInit, signal: AbortSignal, limitMs: number) {
  const late = new AbortController()
  const end = () => late.abort(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError'))
  const timer = setTimeout(end, limitMs)
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, late.signal]) })
  } finally {
    clearTimeout(timer)
  }
}

/** Both bases hold basePath, which authors do not write. */
function siteUrl(path: string, { actionsUrl, siteUrl: filesUrl }: RequestContext): URL {
  const base = isApiPath(path.split(/[?#]/, 1)[0]!) ? actionsUrl : filesUrl
  return new URL(base.replace(/\/$/, '') + path)
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
