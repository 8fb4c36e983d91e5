// Control endpoints of a renderer under development: those of every renderer over the current pages, the development feed,
// those through which the actions service runs modules of the same folder, and the middleware of the current sources. Where
// middleware fails, a browser gets a document that shows the error and reloads when the error is fixed.

import type { DevBuild } from '@portico/build/dev/dev.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import { MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import { DEV_INNER_PATHS, type DevFeedRequest, type ThrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import { formatVerdict, type MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { LRUCache } from 'lru-cache'
import { RENDER_BODY_LIMIT_BYTES } from '../inner/inner.ts'
import { createMiddlewareRoute, QUESTION_LIMIT_BYTES } from '../middleware/middleware.ts'
import type { PageRequest } from '../outcome/outcome.ts'
import type { PageRenderer } from '../pages/pages.ts'
import type { DevFeed } from './dev-feed.ts'
import { type DevPages, documentOf, type RequestedPage } from './dev-pages.ts'

interface DevInnerRoutesDeps extends DevMiddlewareDeps {
  build: DevBuild
  feed: DevFeed
  pages: () => Promise<DevPages>
  report: (thrown: ThrownError) => void
  /** Resolves when the first requested page can be rendered: one process compiles this page and everything else. */
  warmed: Promise<void>
}

export function createDevInnerRoutes(deps: DevInnerRoutesDeps): InnerRoute[] {
  const { build } = deps
  return [
    current(deps, '/internal/render'),
    current(deps, INVALIDATION_PATH),
    createDevMiddlewareRoute(deps),
    {
      method: 'POST',
      path: DEV_INNER_PATHS.modules,
      async handler(body, _request, response) {
        await deps.warmed
        sendJson(response, 200, await build.vite().invokeActions(body))
      },
    },
    {
      method: 'POST',
      path: DEV_INNER_PATHS.feed,
      async handler(body, _request, response) {
        if (!isFeedRequest(body))
          return sendError(response, 'data', {
            code: 'bad-request',
            message: 'name must be a text, revision and version numbers',
          })
        sendJson(response, 200, await deps.feed.next(body))
      },
    },
    {
      method: 'POST',
      path: DEV_INNER_PATHS.error,
      async handler(body, _request, response) {
        // The caller holds the token, so it is a service of this stack.
        deps.report(body as ThrownError)
        sendJson(response, 200, {})
      },
    },
  ]
}

function isFeedRequest(body: unknown): body is DevFeedRequest {
  const { name, revision, version } = (body ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof revision === 'number' && typeof version === 'number'
}

/** An inner route of every renderer, over the current manifest and pages. */
function current({ pages }: DevInnerRoutesDeps, path: string): InnerRoute {
  return {
    method: 'POST',
    path,
    bodyLimitBytes: RENDER_BODY_LIMIT_BYTES,
    async handler(body, request, response) {
      const now = await pages()
      if (now.kind === 'failed') return sendError(response, 'data', { code: 'internal' })
      const route = now.inner.routes?.find((each) => each.path === path)
      await route?.handler(body, request, response)
    },
  }
}

interface DevMiddlewareDeps {
  after: AfterTasks
  build: { settled: () => Promise<{ version: number }> }
  cookieSeals: CookieSeals
  pages: () => Promise<DevPages>
  /** Receives each requested page by request id. */
  requestedPages: LRUCache<string, RequestedPage>
}

function createDevMiddlewareRoute(deps: DevMiddlewareDeps): InnerRoute {
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
