// The actions service's steps in their order. Everything a request needs is in `deps`; nothing is read from the
// environment here.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorContentOf, sendError } from '../shared/node/error-response.ts'
import { requestIdOf } from '../shared/node/request-id.ts'
import { currentSpan } from '../shared/node/tracing.ts'
import type { RequestContext } from '../shared/wire/bundles.ts'
import { HEADERS, INTERNAL_HEADERS } from '../shared/wire/constants.ts'
import type { StackStatus } from '../shared/wire/stack-status.ts'
import { isApiPath, splitTarget, stripBasePath } from '../shared/wire/urls.ts'
import { type AnswerActionDeps, createAnswerAction } from './answer-action.ts'
import { type ApiRoutesDeps, createApiRoutes } from './api/api-routes.ts'
import { discardBody } from './body/discard-body.ts'
import type { ActionsMetrics } from './metrics.ts'
import { appHeaders, type RequestFacts, readFacts } from './request/request-facts.ts'
import type { Site } from './site.ts'

export interface ActionsAppDeps extends AnswerActionDeps, ApiRoutesDeps {
  /** Asked at every request, so that a development server can put another build in. */
  site: () => Site
  metrics: ActionsMetrics
  /** Where `fetch('/api/…')` of app code goes: this service itself. */
  actionsUrl: () => string
  /** Where other paths of the site go. */
  siteUrl: () => string
  /** Figures of the stack for code of the site; absent when the operator switched them off. */
  stackStatus?: (() => Promise<StackStatus>) | undefined
}

/** The request handler of the public port. Every request takes the same few steps, so no router stands between them. */
export function createActionsApp(deps: ActionsAppDeps): RequestListener {
  const answerApi = createApiRoutes(deps)
  const answerAction = createAnswerAction(deps)
  const answerError = createErrorAnswer(deps)

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const site = deps.site()
    const kind = isApiRequest(request, site) ? 'api' : 'action'
    nameAnswer(request, response, site)
    watchAnswer(kind, request, response, deps)
    const facts = readFacts(request)
    const exchange = { request, response, site, facts, context: createContext(request, facts, site, deps) }
    await (kind === 'api' ? answerApi(exchange) : answerAction(exchange))
  }

  return function handle(request, response) {
    answer(request, response)
      .catch((thrown: unknown) => answerError(thrown, request, response))
      .catch((error: unknown) => {
        deps.log.error({ error }, 'an answer failed')
        response.destroy()
      })
  }
}

function nameAnswer(request: IncomingMessage, response: ServerResponse, site: Site): void {
  const requestId = requestIdOf(request)
  request.headers[HEADERS.requestId] = requestId
  response.setHeader(HEADERS.requestId, requestId)
  response.setHeader(HEADERS.build, site.buildId)
}

/** One line and one measurement per request at its end. */
function watchAnswer(
  kind: 'api' | 'action',
  request: IncomingMessage,
  response: ServerResponse,
  { log, metrics, clock }: ActionsAppDeps,
): void {
  const startedAt = clock.now()
  const { method } = request
  const span = currentSpan()
  response.once('close', () => {
    const ms = clock.now() - startedAt
    // 499: the visitor left before the answer was complete.
    const status = response.writableFinished ? response.statusCode : 499
    const route = response.getHeader(INTERNAL_HEADERS.route)
    const digest = response.getHeader(INTERNAL_HEADERS.digest)
    // This service sets both as texts.
    span?.describe({ 'http.route': route as string | undefined, 'portico.digest': digest as string | undefined })
    metrics.observe(kind, status, ms / 1000)
    log.info({ requestId: request.headers[HEADERS.requestId], kind, method, route, status, ms }, 'request')
  })
}

/** The only place where an error becomes bytes: JSON for scripts and API calls, a screen for browsers (E2). */
function createErrorAnswer({ log, site }: ActionsAppDeps) {
  return function answerError(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
    const isForScript = isApiRequest(request, site()) || request.headers[HEADERS.action] !== undefined
    const answer = errorContentOf(thrown, log, request)
    if (!request.complete) discardBody(request)
    const digest = answer.digest === undefined ? {} : { [INTERNAL_HEADERS.digest]: answer.digest }
    sendError(response, isForScript ? 'data' : 'document', { ...answer, headers: { ...answer.headers, ...digest } })
  }
}

function isApiRequest({ url = '/' }: IncomingMessage, { basePath }: Site): boolean {
  const pathname = stripBasePath(splitTarget(url).pathname, basePath)
  return pathname !== undefined && isApiPath(pathname)
}

function createContext(
  request: IncomingMessage,
  facts: RequestFacts,
  { publicEnv }: Site,
  { actionsUrl, siteUrl, stackStatus }: ActionsAppDeps,
): Omit<RequestContext, 'signal' | 'kind' | 'name'> {
  return {
    requestId: String(request.headers[HEADERS.requestId]),
    url: facts.url,
    origin: facts.origin,
    headers: appHeaders(request),
    // A copy: `cookies().set` changes it, and the request's own cookies are still needed for merging.
    cookies: { ...facts.cookies },
    setCookies: [],
    actionsUrl: actionsUrl(),
    siteUrl: siteUrl(),
    publicEnv,
    revalidations: { paths: new Set(), tags: new Set() },
    stackStatus: async () => stackStatus?.(),
  }
}
