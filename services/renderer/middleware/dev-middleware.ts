// Middleware under development: that of the current sources, and a document with the error where it fails, so that the
// browser shows the error and reloads when it is fixed.

import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import { MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import { formatVerdict, type MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { LRUCache } from 'lru-cache'
import type { DevPages, RequestedPage } from '../dev/dev-pages.ts'
import { documentOf } from '../dev/failure-document.ts'
import type { PageRequest } from '../render/outcome.ts'
import type { PageRenderer } from '../render/render-page.ts'
import { createMiddlewareRoute, QUESTION_LIMIT_BYTES } from './middleware-route.ts'

export interface DevMiddlewareDeps {
  after: AfterTasks
  build: { settled: () => Promise<{ version: number }> }
  cookieSeals: CookieSeals
  pages: () => Promise<DevPages>
  /** Receives each requested page by request id. */
  requestedPages: LRUCache<string, RequestedPage>
}

export function createDevMiddlewareRoute(deps: DevMiddlewareDeps): InnerRoute {
  const { after, build, cookieSeals, pages, requestedPages } = deps
  return {
    method: 'POST',
    path: MIDDLEWARE_PATH,
    bodyLimitBytes: QUESTION_LIMIT_BYTES,
    async handler(body, request, response) {
      const { version } = await build.settled()
      const now = await pages()
      const requestId = requestIdOf(request)
      const { build: buildId, url } = (body ?? {}) as { build?: unknown; url?: unknown }
      requestedPages.set(requestId, { url: splitTarget(String(url)).pathname, version })
      const failed = (guarded: PageRequest, message: string) =>
        failedVerdict(guarded, documentOf(message, now.manifest, version, requestId))
      const guard: PageRenderer['guard'] = async (guarded, ...rest) => {
        if (now.kind === 'failed') return failed(guarded, messageOf(now.error))
        const result = await now.pages.guard(guarded, ...rest)
        if (result.kind === 'verdict') return result
        return failed(guarded, requestedPages.get(requestId)?.message ?? '')
      }
      // The manifest of the gateway may be that before the last change.
      const manifest = { ...now.manifest, ...(typeof buildId === 'string' && { buildId }) }
      await createMiddlewareRoute({ manifest, cookieSeals, pages: { guard, after } }).handler(body, request, response)
    },
  }
}

/** SECURITY: also under development no request continues whose middleware failed. */
function failedVerdict({ as, headers }: PageRequest, document: string): Awaited<ReturnType<PageRenderer['guard']>> {
  if (as !== 'html' || !headers.accept?.includes('text/html')) return { kind: 'failed', digest: '' }
  const body = Buffer.from(document).toString('base64')
  const responseHeaders: [string, string][] = [['content-type', 'text/html; charset=utf-8']]
  const verdict: MiddlewareVerdict = { kind: 'response', status: 500, body, responseHeaders }
  return { kind: 'verdict', verdict, json: formatVerdict(verdict) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
