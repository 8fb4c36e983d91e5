// The requests of the client of a test.

import { mergeCookies } from '@portico/actions/request/request-facts.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { parseCookie, stringifyCookie } from 'cookie'
import type { TestCall } from './site-servers.ts'
import type { TestApiRequest, TestedCall, TestRequest } from './test-types.ts'

/** As a gateway passes on a request of a page of the site. */
export function headersOf({ id, request: { cookies = {}, headers, origin = 'http://localhost' } }: TestCall): Headers {
  const all = new Headers(headers)
  if (Object.keys(cookies).length > 0) all.set('cookie', stringifyCookie({ ...cookies }))
  // A crawler gets the whole page: no shell of a fallback, and what streams is in its place.
  if (!all.has('user-agent')) all.set('user-agent', 'portico-testing bot')
  if (!all.has('sec-fetch-site')) all.set('sec-fetch-site', 'same-origin')
  const { protocol, host } = new URL(origin)
  all.set('x-forwarded-proto', protocol.slice(0, -1))
  all.set('x-forwarded-host', host)
  all.set(HEADERS.requestId, id)
  return all
}

/** The client's cookies after a response. */
export function cookiesAfter({ cookies = {} }: TestRequest, headers: Headers): TestedCall {
  const setCookies = headers.getSetCookie()
  const merged = parseCookie(mergeCookies({ ...cookies }, setCookies, Date.now()) ?? '')
  // Every parsed name has a value.
  return { cookies: { ...merged } as Record<string, string>, setCookies }
}

export function bodyOf({ body, method = body === undefined ? 'GET' : 'POST' }: TestApiRequest): RequestInit {
  if (body === undefined) return { method }
  const isReady = typeof body === 'string' || [FormData, URLSearchParams, Uint8Array].some((is) => body instanceof is)
  if (isReady) return { method, body: body as NonNullable<RequestInit['body']> }
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
