// Runs the site's middleware for one request (X15): with the request's context, within the time limit, and with one log
// line with a digest for each failure.

import { createDigest } from '@portico/shared/kit/http/request-id.ts'
import { ModuleFault } from '@portico/shared/kit/life/site-modules.ts'
import { traced } from '@portico/shared/kit/observe/tracing.ts'
import { MIDDLEWARE_LIMIT_MS } from '@portico/shared/wire/constants.ts'
import { controlFlowOf, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { formatVerdict, MiddlewareFault, type MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import type { Outcome, PageRequest } from '../render/outcome.ts'
import { contextOf, type RenderDeps } from '../render/render-deps.ts'
import { workOf } from '../render/run-data-function.ts'
import { withinLimit } from '../resolve/data-functions.ts'
import { encodeLocation } from '../resolve/locations.ts'
import { locationOf } from '../send/redirect-outcome.ts'
import { type NoteReserved, readVerdict } from './read-response.ts'

/** `json`: of the verdict, within the bounds. */
type MiddlewareResult =
  | { kind: 'verdict'; verdict: MiddlewareVerdict; json: string }
  | { kind: 'failed'; digest: string }

/** `buildId`: that in the address of page data. */
type RunMiddleware = (request: PageRequest, buildId?: string) => Promise<MiddlewareResult>

interface MiddlewareDeps extends RenderDeps {
  /** The screen of a status. */
  refuse: (request: PageRequest, status: RefusalStatus) => Promise<Outcome>
}

const NEXT: MiddlewareVerdict = { kind: 'next', responseHeaders: [] }

/** Never rejects. */
export function createMiddlewareRunner(deps: MiddlewareDeps): RunMiddleware {
  const { manifest, bundle, middlewareLimitMs = MIDDLEWARE_LIMIT_MS } = deps
  const noteReserved = createReservedLog(deps)

  const run = async (request: PageRequest, buildId: string | undefined, signal: AbortSignal) => {
    const { middleware } = bundle
    // SECURITY: the manifest says that requests are guarded.
    if (!middleware) throw new MiddlewareFault('the bundle of the build has no middleware')
    const { method, headers, origin, after } = request
    const { basePath, trailingSlash, i18n } = manifest
    const url = origin + request.url
    const waitUntil = (promise: Promise<unknown>) => {
      // The task is run behind the response, and reports the error then.
      promise.catch(() => {})
      after?.('middleware', () => promise)
    }
    const context = { ...contextOf(deps, request, 'middleware', 'middleware'), signal }
    const verdict = await bundle.runWithContext(context, async () => {
      try {
        const given = { method, url, headers, buildId, basePath, trailingSlash, i18n, signal, waitUntil }
        return await readVerdict(await middleware(given), { url, headers, basePath }, noteReserved)
      } catch (thrown) {
        return verdictOfThrown(deps, request, thrown)
      }
    })
    const cookies = context.setCookies.map((value): [string, string] => ['set-cookie', value])
    Object.freeze(context.setCookies)
    return { ...verdict, responseHeaders: [...verdict.responseHeaders, ...cookies] }
  }

  return async (request, buildId) => {
    // Under development the manifest of the gateway may be an earlier one.
    if (!manifest.middleware) return { kind: 'verdict', verdict: NEXT, json: formatVerdict(NEXT) }
    const work = workOf(request.signal)
    const call = { route: request.pathname, name: 'middleware', work, timeoutMs: middlewareLimitMs }
    try {
      const verdict = await traced('middleware', () => withinLimit(call, () => run(request, buildId, work.signal)))
      return { kind: 'verdict', verdict, json: formatVerdict(verdict) }
    } catch (error) {
      if (request.signal.aborted) return { kind: 'failed', digest: '' }
      const isBroken = error instanceof ModuleFault
      if (isBroken && !error.noteRequest(deps.log)) return { kind: 'failed', digest: error.digest }
      const digest = isBroken ? error.digest : createDigest()
      if (!isBroken) deps.log.error({ error, digest, requestId: request.requestId }, 'middleware failed')
      // As in Next.js, also for a file with the name `middleware`.
      deps.onRequestError?.(error, request, { routePath: '/proxy', routeType: 'proxy' })
      return { kind: 'failed', digest }
    }
  }
}

/** redirect(), notFound(), unauthorized() and forbidden(); everything else is a failure. */
async function verdictOfThrown(
  deps: MiddlewareDeps,
  request: PageRequest,
  thrown: unknown,
): Promise<MiddlewareVerdict> {
  const flow = controlFlowOf(thrown)
  switch (flow?.kind) {
    case undefined:
      throw thrown
    case 'redirect': {
      const location = encodeLocation(locationOf(deps, flow))
      return { kind: 'redirect', status: flow.status, location, responseHeaders: [] }
    }
    case 'not-found':
      return { kind: 'refused', status: 404, responseHeaders: [] }
    case 'refused': {
      const screen = request.as === 'html' ? await deps.refuse(request, flow.status) : undefined
      if (screen?.kind !== 'whole') return { kind: 'refused', status: flow.status, responseHeaders: [] }
      const { policy, body } = screen
      const responseHeaders: [string, string][] = policy ? [[policy.name, policy.value]] : []
      return { kind: 'refused', status: flow.status, document: body.toString(), responseHeaders }
    }
  }
}

/** One log line for each name: middleware that sets a header of the gateway does so for every request. */
function createReservedLog({ log }: RenderDeps): NoteReserved {
  const noted = new Set<string>()
  return (name) => {
    if (noted.has(name) || noted.size >= MOST_NOTED) return
    noted.add(name)
    log.warn({ event: 'middleware-header', name }, `middleware cannot set the header ${name}, which is the gateway's`)
  }
}

/** A client may choose names that middleware copies. */
const MOST_NOTED = 100
