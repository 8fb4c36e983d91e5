// The call of the site's middleware in a test: its matchers and function, with the code of the renderer.

import type { RequestListener } from 'node:http'
import { createMiddlewareRoute } from '@portico/renderer/middleware/middleware.ts'
import type { PageRenderer } from '@portico/renderer/pages/pages.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createMatchers } from '@portico/shared/wire/middleware/matchers.ts'
import { type MiddlewareQuestion, parseVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { clientFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { cookiesAfter, headersOf } from './requests.ts'
import type { TestCall } from './site-servers.ts'
import type { MiddlewareOutcome, TestedMiddleware, TestMiddlewareRequest } from './test-types.ts'

export interface MiddlewareCallDeps {
  manifest: Manifest
  pages: Pick<PageRenderer, 'guard' | 'after'>
  cookieSeals: CookieSeals
  call: TestCall
  /** Sends a request to `call.respond`. */
  send: (call: TestCall) => Promise<Response>
}

/** Calls the middleware if a matcher fits the path. */
export async function runMiddleware(
  path: string,
  request: TestMiddlewareRequest,
  { manifest, pages, cookieSeals, call, send }: MiddlewareCallDeps,
): Promise<TestedMiddleware> {
  const { middleware, basePath, i18n, buildId: build } = manifest
  if (!middleware) throw new Error('the site has no middleware.ts')
  if (!path.startsWith('/')) throw new Error(`path="${path}" is not allowed; a path of the site begins with "/"`)
  const headers = Object.fromEntries(headersOf(call))
  const { pathname, search } = splitTarget(path)
  const { cookies = {}, origin = 'http://localhost', method = 'GET' } = request
  const facts = clientFacts({ headers, cookies, search, origin })
  if (!createMatchers(middleware.matchers, i18n)(pathname, facts))
    return { kind: 'unmatched', headers: new Headers(), ...cookiesAfter(request, new Headers()) }
  const question: MiddlewareQuestion = { build, method, url: basePath + path, headers }
  const route = createMiddlewareRoute({ manifest, pages, cookieSeals })
  const respond: RequestListener = (...exchange) => void route.handler(question, ...exchange)
  call.respond = respond
  const verdict = parseVerdict(await (await send(call)).json())
  if (!verdict) throw call.errors[0] ?? new Error('the middleware has failed')
  const sent = new Headers(verdict.responseHeaders)
  return { ...outcomeOf(verdict), headers: sent, ...cookiesAfter(request, sent) }
}

function outcomeOf(verdict: NonNullable<ReturnType<typeof parseVerdict>>): MiddlewareOutcome {
  const { requestHeaders: { set, remove } = { set: {}, remove: [] } } = verdict
  const requestHeaders = { ...set, ...Object.fromEntries(remove.map((name) => [name, null])) }
  switch (verdict.kind) {
    case 'next':
      return { kind: 'next', requestHeaders }
    case 'rewrite':
      return { kind: 'rewrite', target: verdict.target, requestHeaders }
    case 'redirect':
      return { kind: 'redirect', location: verdict.location, status: verdict.status }
    case 'refused':
      return { kind: 'refused', status: verdict.status }
    case 'response':
      return { kind: 'response', status: verdict.status, body: Buffer.from(verdict.body, 'base64').toString() }
  }
}
