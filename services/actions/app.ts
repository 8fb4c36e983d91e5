// The steps of the actions service, in order. `deps` has all that a request needs; this file does not read the
// environment.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { errorContentOf, sendError } from '@portico/shared/kit/http/error-response.ts'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { type AddTask, type AfterTasks, tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import { logRequest, onRequestEnd } from '@portico/shared/kit/observe/request-log.ts'
import { currentSpan } from '@portico/shared/kit/observe/tracing.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { HEADERS, INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { isApiPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { type ApiRoutesDeps, createApiRoutes } from './api/api-routes.ts'
import type { ActionsMetrics } from './metrics.ts'
import { discardBody } from './request/body/discard-body.ts'
import { appHeaders, type Exchange, type RequestFacts, readFacts } from './request/request-facts.ts'
import { type ActionResponderDeps, createActionResponder } from './respond-to-action.ts'
import type { Site } from './site.ts'
import { publishRevalidations } from './submission/submit-action.ts'

export interface ActionsAppDeps extends ActionResponderDeps, ApiRoutesDeps {
  /** Called for every request, so that a development server can replace the build. */
  site: () => Site
  cookieSeals: CookieSeals
  metrics: ActionsMetrics
  fetchSite: RequestContext['fetchSite']
  /** Work of the site's code behind responses. */
  after: AfterTasks
  /** Data that requests share; absent under development. */
  dataCache?: ReturnType<typeof createDataCache> | undefined
}

/** The request handler of the public port. All requests take the same few steps, so there is no router. */
export function createActionsApp(deps: ActionsAppDeps): RequestListener {
  const respondToApi = createApiRoutes(deps)
  const respondToAction = createActionResponder(deps)
  const respondToError = createErrorResponder(deps)

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const site = deps.site()
    const kind = isApiRequest(request, site) ? 'api' : 'action'
    const requestId = setResponseIds(request, response, site)
    observeResponse(kind, request, response, { ...deps, requestId })
    const { basePath } = site
    const facts = readFacts(request, (origin) => deps.cookieSeals({ origin, basePath, requestId }))
    // A browser may leave while its action runs.
    const work = Promise.withResolvers<void>()
    const after = tasksBehind(deps.after, requestId, response, work.promise)
    refuseUndecided(site, facts)
    const exchange = { request, response, site, facts, context: createContext(request, facts, site, after, deps) }
    await (kind === 'api' ? respondToApi(exchange) : respondToAction(exchange)).finally(work.resolve)
  }

  return function handle(request, response) {
    respond(request, response)
      .catch((thrown: unknown) => respondToError(thrown, request, response))
      .catch((error: unknown) => {
        deps.log.error({ error }, 'error response failed')
        response.destroy()
      })
  }
}

/**
 * SECURITY: during an update the middleware of a gateway of another build has decided, or none: this build does not run what its
 * own middleware may guard. Other services send no such header, and the gateway no request without it.
 */
function refuseUndecided({ buildId, isGuarded }: Site, { pathname, passed: { guard, moved } }: RequestFacts): void {
  if (guard === undefined || guard === buildId || !isGuarded?.(pathname)) return
  // A handler that only this build has: not found, for a client of the other build.
  if (moved === NO_TARGET) return
  throw new ServiceError('middleware-failed', { headers: { 'retry-after': '1' } })
}

function setResponseIds(request: IncomingMessage, response: ServerResponse, site: Site): string {
  const requestId = requestIdOf(request)
  request.headers[HEADERS.requestId] = requestId
  response.setHeader(HEADERS.requestId, requestId)
  response.setHeader(HEADERS.build, site.buildId)
  return requestId
}

/** One line and one measurement per request at its end. */
function observeResponse(
  kind: 'api' | 'action',
  request: IncomingMessage,
  response: ServerResponse,
  { log, metrics, requestId }: Pick<ActionsAppDeps, 'log' | 'metrics'> & { requestId: string },
): void {
  const { method = 'GET', url = '/' } = request
  const { pathname: path } = splitTarget(url)
  const span = currentSpan()
  onRequestEnd(response, (end) => {
    // This service sets both headers as strings.
    const route = response.getHeader(INTERNAL_HEADERS.route) as string | undefined
    const digest = response.getHeader(INTERNAL_HEADERS.digest) as string | undefined
    span?.describe({ 'http.route': route, 'portico.digest': digest })
    metrics.observe(kind, end.status, end.ms / 1000)
    logRequest(log, { method, path, requestId }, end, { kind, route })
  })
}

/** Responds to a thrown value: JSON for scripts and API calls, a screen for browsers (E2). */
function createErrorResponder({ log, site }: ActionsAppDeps) {
  return function respondToError(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
    const isForScript = isApiRequest(request, site()) || request.headers[HEADERS.action] !== undefined
    if (!request.complete) discardBody(request)
    const { screenPolicy } = site()
    sendError(response, isForScript ? 'data' : 'document', { screenPolicy, ...errorContentOf(thrown, log, request) })
  }
}

function isApiRequest({ url = '/' }: IncomingMessage, { basePath }: Site): boolean {
  const pathname = stripBasePath(splitTarget(url).pathname, basePath)
  return pathname !== undefined && isApiPath(pathname)
}

function createContext(
  request: IncomingMessage,
  facts: RequestFacts,
  { publicEnv, i18n }: Site,
  after: AddTask,
  { fetchSite, dataCache, invalidation, log }: ActionsAppDeps,
): Exchange['context'] {
  const revalidations = noRevalidations()
  const requestId = String(request.headers[HEADERS.requestId])
  return {
    requestId,
    url: facts.url,
    origin: facts.origin,
    headers: appHeaders(request),
    // A copy, because `cookies().set` changes the object and mergeCookies needs the cookies of the request.
    cookies: { ...facts.cookies },
    setCookies: [],
    cookieSeal: facts.cookieSeal,
    draft: facts.draft,
    fetchSite,
    publicEnv,
    revalidations,
    after: (name, run) =>
      after(name, async (signal) => {
        const own = { revalidations: noRevalidations(), requestId }
        try {
          await run({ signal, revalidations: own.revalidations })
        } finally {
          await publishRevalidations(own, { invalidation, log, site: { ...(i18n && { i18n }) } })
        }
      }),
    ...(dataCache && { dataCache: dataCache({ ownTags: revalidations.tags }) }),
  }
}

function noRevalidations() {
  return { paths: new Set<string>(), tags: new Set<string>() }
}
