// The gateway's questions about middleware: for a verdict on the inner port (W11), and with the request for a page (X15).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { readCookies } from '@portico/shared/kit/cookies/request-cookies.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { INTERNAL_HEADERS, MAX_HEAD_BYTES, MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import { formatPassedVerdict, VERDICT_IN_BODY } from '@portico/shared/wire/middleware/passed-question.ts'
import { changeHeaders, parseQuestion } from '@portico/shared/wire/middleware/verdict.ts'
import type { PassedRoute } from '@portico/shared/wire/routing/passed-route.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { originOf, workFor } from '../client.ts'
import type { PageRequest } from '../render/outcome.ts'
import type { PageRenderer } from '../render/render-page.ts'

/** JSON of a request's head, in which each byte of a value may become several. */
export const QUESTION_LIMIT_BYTES = 8 * MAX_HEAD_BYTES

interface MiddlewareRouteDeps {
  manifest: Pick<Manifest, 'basePath' | 'buildId' | 'semantics'>
  pages: Pick<PageRenderer, 'guard' | 'after'>
  cookieSeals: CookieSeals
}

export function createMiddlewareRoute(deps: MiddlewareRouteDeps): InnerRoute {
  const decide = createDecide(deps)
  return {
    method: 'POST',
    path: MIDDLEWARE_PATH,
    bodyLimitBytes: QUESTION_LIMIT_BYTES,
    async handler(body, request, response) {
      const result = await decide(body, request, response)
      if (result) sendVerdict(response, result.json)
    },
  }
}

/** Runs middleware for the page with whose request the question was passed (X15). */
export function createPageGuard(deps: MiddlewareRouteDeps) {
  const decide = createDecide(deps)
  /** Whether the page may be rendered, with the headers as middleware leaves them; otherwise the response is sent. */
  return async (
    passed: NonNullable<PassedRoute['question']>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> => {
    const given = Object.entries(request.headers).filter(([name]) => name !== 'connection')
    const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
    const result = await decide({ ...passed, method: request.method, headers }, request, response)
    if (!result) return false
    const text = formatPassedVerdict(result.verdict)
    // SECURITY: the gateway sends no page to a client without this header.
    response.setHeader(INTERNAL_HEADERS.verdict, text ?? VERDICT_IN_BODY)
    if (text === undefined) sendVerdict(response, result.json)
    else changeHeaders(request.headers, result.verdict.requestHeaders)
    return text !== undefined
  }
}

/** Returns the function that runs middleware; undefined where the response is sent, or needs none. */
function createDecide({ manifest, pages, cookieSeals }: MiddlewareRouteDeps) {
  const { basePath, buildId, semantics } = manifest
  return async (given: unknown, request: IncomingMessage, response: ServerResponse) => {
    const refuse = (message: string) => void sendError(response, 'data', { code: 'bad-request', message })
    const question = parseQuestion(given)
    if (typeof question === 'string') return refuse(question)
    const { build, method, url, dataBuild } = question
    // SECURITY: middleware of another build may let pass what the gateway's build refuses.
    if (build !== buildId) return refuse(`build: this renderer serves ${buildId}`)
    const headers = { ...question.headers }
    // Libraries read the header. The path alone decides (D1).
    delete headers[DATA_HEADER]
    if (semantics.dataHeader && dataBuild !== undefined) headers[DATA_HEADER] = '1'
    const { pathname, search } = splitTarget(url)
    const path = stripBasePath(pathname, basePath)
    const origin = originOf(headers)
    if (path === undefined || origin === undefined) return refuse('url: must be below basePath, with an origin')
    const requestId = requestIdOf(request)
    const cookieSeal = cookieSeals({ origin, basePath, requestId })
    const { signal } = workFor(response, 'the client disconnected')
    const guarded: PageRequest = {
      url,
      pathname: path,
      search,
      method,
      headers,
      cookies: readCookies(headers.cookie, cookieSeal),
      cookieSeal,
      origin,
      requestId,
      signal,
      after: tasksBehind(pages.after, requestId, response),
      as: dataBuild === undefined ? 'html' : 'data',
      whole: true,
    }
    const result = await pages.guard(guarded, dataBuild)
    if (signal.aborted) return void response.destroy()
    if (result.kind === 'verdict') return result
    return void sendError(response, 'data', { code: 'internal', digest: result.digest })
  }
}

const DATA_HEADER = 'x-nextjs-data'

function sendVerdict(response: ServerResponse, json: string): void {
  const bytes = Buffer.from(json)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}
