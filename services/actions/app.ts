// The steps of the actions service, from the headers of a request to its response. For a POST to a page their order is
// the protection (A4, A7, A5): path and method, origin, running submissions of the client, body within its limit,
// action known, once per key, handler, invalidations published, fresh page from the renderer, response. `deps` has all
// that a request needs; this file does not read the environment.

import { createHmac } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { errorContentOf, sendError } from '@portico/shared/kit/http/error-response.ts'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { type AddTask, type AfterTasks, tasksBehind } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { BeginRequest } from '@portico/shared/kit/life/running-requests.ts'
import { logRequest, onRequestEnd } from '@portico/shared/kit/observe/request-log.ts'
import { currentSpan } from '@portico/shared/kit/observe/tracing.ts'
import type { BoundArgs } from '@portico/shared/kit/secrets/bound-args.ts'
import type { Keyring } from '@portico/shared/kit/secrets/keyring.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { HEADERS, INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { verdictOf } from '@portico/shared/wire/policy/origin-check.ts'
import { matchRoute } from '@portico/shared/wire/routing/routes.ts'
import { canonicalPath, isApiPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { type ApiRoutesDeps, createApiRoutes } from './api-handlers/api-handlers.ts'
import type { ActionsMetrics } from './metrics.ts'
import {
  appHeaders,
  type ClientCookie,
  type ClientIdentity,
  countedAs,
  type Exchange,
  header,
  identifyClient,
  mintClientCookie,
  type ReadSubmission,
  type RequestFacts,
  readFacts,
  readSubmission,
  rotateClientCookie,
  setClientCookie,
  type UploadScope,
  type Uploads,
} from './request/request.ts'
import { createLazyAbort } from './run/run.ts'
import { findFormPage, passForm, type RendererClient, sendActionResponse, sendResult } from './send/send.ts'
import { missing, type Site } from './site/site.ts'
import {
  HOLDER_LENGTH,
  publishRevalidations,
  type SubmitActionDeps,
  type SubmitResult,
  submitAction,
} from './submission/submission.ts'

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

interface ActionResponderDeps extends Omit<SubmitActionDeps, 'site'> {
  boundArgs: BoundArgs
  renderer: RendererClient
  uploads: Uploads
  publicOrigins: readonly string[]
  /** Limits the running submissions of one client. */
  beginRequest: BeginRequest
  /** HMAC keys of derived client cookies and of the hashes of addresses. */
  clientKeys: Pick<Keyring, 'current' | 'accepted'>
}

/** At most one log line about unknown actions in this time (A2): old tabs may send many after a deploy. */
const UNKNOWN_LOG_PAUSE_MS = 60_000

/**
 * Returns the function that responds to one POST to a page, and throws a ServiceError for a request without an action.
 */
function createActionResponder(deps: ActionResponderDeps) {
  let unknownLoggedAt = Number.NEGATIVE_INFINITY

  const sendUnknown = (id: string, { request, response, site }: Exchange): void => {
    if (deps.clock.now() - unknownLoggedAt >= UNKNOWN_LOG_PAUSE_MS) {
      unknownLoggedAt = deps.clock.now()
      deps.log.warn({ action: id.slice(0, 64) }, 'unknown action called')
    }
    if (header(request, HEADERS.action) !== undefined)
      sendActionResponse(response, { kind: 'unknown-action' }, 'unknown-action')
    else sendError(response, 'document', { code: 'unknown-action', screenPolicy: site.screenPolicy })
  }

  const submit = async (submission: ReadSubmission, exchange: Exchange, files: UploadScope): Promise<void> => {
    const { request, response, site, facts, context } = exchange
    response.setHeader(INTERNAL_HEADERS.route, submission.action.name)
    const client = identifyClient({ ...facts, key: submission.key }, deps.clientKeys.accepted())
    const address = hashAddress(facts.address, deps.clientKeys.current())
    const left = createLazyAbort()
    response.on('close', () => left.abort('the client closed the connection'))
    const submitted = await submitAction({ submission, client, address, left, context, facts }, { ...deps, site })
    // The handler does not need the files any more; the files are deleted before the client gets its response.
    await files.dispose()
    if (response.destroyed) return
    const cookie = cookieAfter(submitted, client, submission)
    await sendResult(submitted, {
      ...(cookie && { clientCookie: setClientCookie(cookie, site.basePath, facts.isSecure) }),
      request,
      response,
      facts,
      requestId: context.requestId,
      submission,
      basePath: site.basePath,
      screenPolicy: site.screenPolicy,
      renderer: deps.renderer,
      now: deps.clock.now,
    })
  }

  return async function respondToAction(exchange: Exchange): Promise<void> {
    const { request, site, facts } = exchange
    refuseOtherThanPosts(exchange)
    const page = findFormPage(exchange)
    const verdict = verdictOf(request.headers, deps.publicOrigins)
    const mayBeForeign = page?.crossOrigin === true && header(request, HEADERS.action) === undefined
    if (verdict.kind === 'refuse' && !mayBeForeign) throw refusedFor(verdict.reason)
    const client = identifyClient({ ...facts, key: undefined }, deps.clientKeys.accepted())
    const leave = deps.beginRequest(countedAs(client, facts))
    if (!leave) throw new ServiceError('overloaded', { headers: { 'retry-after': '1' } })
    const uploads = deps.uploads.createScope()
    try {
      const read = await readSubmission(request, {
        site,
        boundArgs: deps.boundArgs,
        uploads,
        isBodyKept: page !== undefined,
      })
      if (read.kind === 'no-action') {
        if (!page || !read.body) throw new ServiceError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
        await uploads.dispose()
        return await passForm(read.body, page, exchange, deps.renderer)
      }
      // SECURITY: a page that takes forms of other sites does not let them call its actions.
      if (verdict.kind === 'refuse') throw refusedFor(verdict.reason)
      const fault = read.kind === 'unknown-action' ? site.broken.get(read.id) : undefined
      if (fault) throw fault
      if (read.kind === 'unknown-action' && site.fault) throw missing(site, 'unknown-action')
      if (read.kind === 'unknown-action') return sendUnknown(read.id, exchange)
      await submit(read.submission, exchange, uploads)
    } finally {
      leave()
      await uploads.dispose()
    }
  }
}

/**
 * The client cookie that the response sets. Cached pages set no cookie, so the first response of an action does (A5).
 */
function cookieAfter(
  submitted: SubmitResult,
  client: ClientIdentity,
  { key, isScripted }: ReadSubmission,
): ClientCookie | undefined {
  if (client.kind === 'key') return client.cookie
  const isKeylessForm = key === undefined && !isScripted
  if (!client.cookie) return client.kind === 'none' || isKeylessForm ? mintClientCookie() : undefined
  return isKeylessForm && isCompleted(submitted) ? rotateClientCookie(client.cookie) : undefined
}

/**
 * Whether the action ran to its end. After refused input or a refused client the next post runs with any counter; after the time limit the
 * effect is unknown, so the next post is a copy.
 */
function isCompleted(submitted: SubmitResult): boolean {
  if (submitted.kind !== 'result') return submitted.kind === 'done'
  const { kind } = submitted.result.outcome
  return kind !== 'invalid' && kind !== 'refused' && kind !== 'late'
}

/**
 * Budgets only need to distinguish addresses. SECURITY: the hash is keyed, so that the store does not reveal addresses.
 */
function hashAddress(address: string, secret: string): string {
  const hashed = createHmac('sha256', secret)
    .update(`address.${networkOf(address)}`)
    .digest('base64url')
  return hashed.slice(0, HOLDER_LENGTH)
}

function refusedFor(reason: string): ServiceError {
  return new ServiceError('forbidden', { text: `Refused: ${reason}.` })
}

function refuseOtherThanPosts({ request, site, facts }: Exchange): void {
  if (request.method !== 'POST') throw new ServiceError('method-not-allowed', { headers: { allow: 'POST' } })
  const pathname = stripBasePath(facts.pathname, site.basePath)
  if (pathname === undefined) throw new ServiceError('not-found')
  if (matchRoute(site.pages, pathname).kind === 'malformed') throw new ServiceError('malformed-path')
  // R6: a POST cannot be redirected safely, so another spelling of a path is an error.
  if (canonicalPath(facts.pathname, site.trailingSlash).kind !== 'canonical')
    throw new ServiceError('non-canonical-path')
}

/** Longest time for which a refused body is still received. */
const DISCARD_MS = 2000

/**
 * Receives and drops the rest of the body for a short time. An immediate close would reset the connection, and the
 * client would see the reset instead of the response (RFC 9112 section 9.6). `Connection: close` in the response would
 * do the same, because the server closes as soon as it has sent such a response, although the body still arrives.
 */
function discardBody(request: IncomingMessage): void {
  request.resume()
  request.on('error', () => {
    // The client closed first: nothing remains to discard.
  })
  const timer = setTimeout(() => request.destroy(), DISCARD_MS)
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
}
