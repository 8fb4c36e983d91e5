// The gateway's requests for verdicts of middleware (W11), on the inner port.

import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { readCookies } from '@portico/shared/kit/cookies/request-cookies.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { MAX_HEAD_BYTES, MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import { parseQuestion } from '@portico/shared/wire/middleware/verdict.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { originOf, workFor } from '../app.ts'
import type { PageRequest } from '../render/outcome.ts'
import type { PageRenderer } from '../render/render-page.ts'

/** JSON of a request's head, in which each byte of a value may become several. */
export const QUESTION_LIMIT_BYTES = 8 * MAX_HEAD_BYTES

export interface MiddlewareRouteDeps {
  manifest: Pick<Manifest, 'basePath' | 'buildId'>
  pages: Pick<PageRenderer, 'guard' | 'after'>
  cookieSeals: CookieSeals
}

export function createMiddlewareRoute({ manifest, pages, cookieSeals }: MiddlewareRouteDeps): InnerRoute {
  const { basePath, buildId } = manifest
  return {
    method: 'POST',
    path: MIDDLEWARE_PATH,
    bodyLimitBytes: QUESTION_LIMIT_BYTES,
    async handler(body, request, response) {
      const refuse = (message: string) => sendError(response, 'data', { code: 'bad-request', message })
      const question = parseQuestion(body)
      if (typeof question === 'string') return refuse(question)
      const { build, method, url, headers, dataBuild } = question
      // SECURITY: middleware of another build may let pass what the gateway's build refuses.
      if (build !== buildId) return refuse(`build: this renderer serves ${buildId}`)
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
      if (result.kind === 'failed') return sendError(response, 'data', { code: 'internal', digest: result.digest })
      const bytes = Buffer.from(result.json)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
      response.end(bytes)
    },
  }
}
