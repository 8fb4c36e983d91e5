// Control endpoints of a renderer under development: those of every renderer over the current pages, and those through
// which the actions service runs modules of the same folder.

import type { DevBuild } from '@portico/build/dev/dev.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import { DEV_INNER_PATHS, type DevChangesResponse, type ThrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { INVALIDATION_PATH } from '@portico/shared/wire/invalidation.ts'
import { RENDER_BODY_LIMIT_BYTES } from '../inner-routes.ts'
import { createDevMiddlewareRoute, type DevMiddlewareDeps } from '../middleware/dev-middleware.ts'
import type { DevPages } from './dev-pages.ts'

interface DevInnerRoutesDeps extends DevMiddlewareDeps {
  build: DevBuild
  pages: () => Promise<DevPages>
  report: (thrown: ThrownError) => void
  /** Resolves when the first requested page can be rendered: one process compiles this page and everything else. */
  warmed: () => Promise<void>
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
        await deps.warmed()
        sendJson(response, 200, await build.vite().invokeActions(body))
      },
    },
    {
      method: 'POST',
      path: DEV_INNER_PATHS.changes,
      async handler(body, _request, response) {
        const { since } = (body ?? {}) as { since?: unknown }
        if (typeof since !== 'number')
          return sendError(response, 'data', { code: 'bad-request', message: 'since: must be a number' })
        const { version, manifest } = await build.settled()
        const files = since < 0 ? undefined : build.changedSince(since)
        const entry = build.actionsEntry
        const changed: DevChangesResponse = { version, manifest, entry, ...(files && { files }) }
        sendJson(response, 200, changed)
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
