// Handlers of `pages/api/**` (A8): finds the route, checks the origin, parses the body by its type within its limit
// (A7), and runs the handler within the time limit. A request of another site that may change data runs no handler
// (A4). What the handler revalidates is published before its response ends. The request and response that a handler
// gets are in handler-arguments.ts, those of the edge runtime in edge-handler.ts.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InvalidationPort } from '@portico/shared/kit/feed/publish.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { decodeUtf8, readWhole } from '@portico/shared/kit/http/read-body.ts'
import { createDigest } from '@portico/shared/kit/http/request-id.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { FailedRequest } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { createAbortError } from '@portico/shared/kit/observe/stray-errors.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { CACHE_NONE } from '@portico/shared/wire/caching.ts'
import { API_METHODS, HEADERS, INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { mediaTypeOf } from '@portico/shared/wire/encodings.ts'
import { controlFlowOf, REFUSAL_CODES } from '@portico/shared/wire/errors/control-flow.ts'
import { verdictOf } from '@portico/shared/wire/policy/origin-check.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { matchRoute } from '@portico/shared/wire/routing/routes.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import type { Clock } from '../clock.ts'
import {
  type Exchange,
  formToObject,
  parseStrictJson,
  readMultipart,
  readUrlencoded,
  type UploadScope,
  type Uploads,
} from '../request/request.ts'
import { siteLocation, writtenLocation } from '../run/run.ts'
import { type LoadedHandler, missing } from '../site/site.ts'
import { publishRevalidations } from '../submission/submission.ts'
import { runEdgeHandler } from './edge-handler.ts'
import { type ApiResponse, createApiRequest, createApiResponse, watchLength } from './handler-arguments.ts'

/** Methods that change nothing (RFC 9110 section 9.2.1); the others need their origin checked (A4). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Reason of `signal` after the response has closed. Created once, because its stack has no information. */
const CLOSED = createAbortError('the client closed the connection or the response is complete')

export interface ApiRoutesDeps {
  invalidation: InvalidationPort
  uploads: Uploads
  publicOrigins: readonly string[]
  /** Aborts when the service begins to stop: event streams must end then, because they would delay the stop (O5). */
  draining: AbortSignal
  clock: Clock
  log: Log
}

/** Returns the function that responds to one request below `/api`, and throws a ServiceError if no handler may run. */
export function createApiRoutes(deps: ApiRoutesDeps) {
  return async function respondToApi(exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    if (request.method === 'TRACE') throw new ServiceError('method-not-allowed', { headers: { allow: API_METHODS } })
    const { handler, pattern, params } = findHandler(exchange)
    response.setHeader(INTERNAL_HEADERS.route, pattern)
    const { crossOrigin, isEdge, bodyLimitBytes: limitBytes } = handler.settings
    const { semantics } = exchange.site
    // What was made for a session is refused to caches elsewhere.
    if (!semantics.apiCaching) response.setHeader('cache-control', CACHE_NONE)
    const method = request.method ?? 'GET'
    if (method === 'OPTIONS' && !crossOrigin && !semantics.apiOptions) return respondToOptions(response)
    if (!SAFE_METHODS.has(method) && !crossOrigin) {
      const verdict = verdictOf(request.headers, deps.publicOrigins)
      if (verdict.kind === 'refuse') throw new ServiceError('forbidden', { text: `Refused: ${verdict.reason}.` })
    }
    const uploads = deps.uploads.createScope()
    try {
      const isUnread = isEdge || limitBytes === undefined
      const body = isUnread ? undefined : await readApiBody(request, { limitBytes, uploads, semantics })
      await runHandler({ ...exchange, handler, pattern, params, body }, deps)
      if (!response.writableFinished) await closed(response)
    } finally {
      await uploads.dispose()
    }
  }
}

function findHandler({ site, facts }: Exchange): Pick<HandlerCall, 'handler' | 'pattern' | 'params'> {
  const isUnknown = facts.passed.moved === NO_TARGET
  // SECURITY: a gateway of another build has not run the middleware that guards a handler which only this build has.
  if (isUnknown && site.isGuarded?.(facts.pathname)) throw missing(site, 'not-found')
  const match = matchRoute(site.apiRoutes, stripBasePath(facts.pathname, site.basePath) ?? '/')
  if (match.kind === 'malformed') throw new ServiceError('malformed-path')
  const fault = match.kind === 'match' ? site.broken.get(match.pattern) : undefined
  if (fault) throw fault
  const handler = match.kind === 'match' ? site.apiHandlers.get(match.pattern) : undefined
  if (match.kind === 'no-match' || !handler) throw missing(site, 'not-found')
  return { handler, pattern: match.pattern, params: match.params }
}

/** Responds to a preflight for a handler without `crossOrigin`: without CORS headers the browser sends no request. */
function respondToOptions(response: ServerResponse): void {
  response.writeHead(204, { allow: API_METHODS })
  response.end()
}

interface HandlerCall extends Exchange {
  handler: LoadedHandler
  pattern: string
  params: RouteParams
  body: unknown
}

async function runHandler(call: HandlerCall, deps: ApiRoutesDeps): Promise<void> {
  const { request, response, site, facts, handler, pattern, params, body } = call
  const { timeoutMs, responseLimitBytes } = handler.settings
  const stop = new AbortController()
  response.on('close', () => stop.abort(CLOSED))
  endEventStreamWith(deps.draining, response, stop)
  let isPersonal = false
  const context: RequestContext = {
    ...call.context,
    kind: 'api',
    name: pattern,
    signal: stop.signal,
    setHeader: (name, value) => void apiResponse.setHeader(name, value),
    onSession(use) {
      isPersonal = true
      if (use === 'changed') response.setHeader(HEADERS.session, 'changed')
    },
  }
  const publish = () => publishRevalidations(context, { ...deps, site }).then(() => {})
  const hasPending = () => (context.revalidations?.paths.size ?? 0) + (context.revalidations?.tags.size ?? 0) > 0
  const apiRequest = createApiRequest(request, { ...facts, params, body })
  const apiResponse = createApiResponse(response, {
    setCookies: () => takeCookies(context.setCookies),
    isPersonal: () => isPersonal,
    draftSite: { seal: facts.cookieSeal, isSecure: facts.isSecure },
    onDraft: () => context.onSession?.('changed'),
    beforeEnd: () => (hasPending() ? publish() : undefined),
    // Without basePath: unlike a thrown redirect(), res.redirect() sends the location as written.
    locate: writtenLocation,
    async revalidate(path) {
      context.revalidations?.paths.add(path)
      await publish()
    },
    onFault: (error) => sendThrown(error, apiResponse, call, deps),
  })
  if (responseLimitBytes !== undefined)
    watchLength(response, responseLimitBytes, () => {
      const fields = { route: pattern, requestId: context.requestId, limitBytes: responseLimitBytes }
      deps.log.warn(fields, 'API response is longer than its responseLimit')
    })
  const run = () =>
    handler.settings.isEdge
      ? runEdgeHandler(handler.run, { site, request: apiRequest, response: apiResponse, params, context })
      : handler.run(apiRequest, apiResponse)
  const handled = (async () => site.runWithContext(context, run))()
  const outcome = await Promise.race([
    handled.then(
      () => ({ kind: 'returned' }) as const,
      (thrown: unknown) => ({ kind: 'threw', thrown }) as const,
    ),
    untilLate(response, timeoutMs, stop.signal, deps.clock),
  ])
  switch (outcome.kind) {
    case 'returned':
      if (hasPending()) await publish()
      // A handler that has returned may still respond later (a callback, a pipe), within the time limit.
      if (!response.headersSent && !response.writableEnded) await headSentOrLate(call, stop, deps)
      return
    case 'threw':
      if (hasPending()) await publish()
      return sendThrown(outcome.thrown, apiResponse, call, deps)
    case 'late':
      stop.abort(new Error('the API handler reached its time limit'))
      return sendLate(call, deps)
  }
}

/** The cookies for the head. A later call of the handler would have no effect: it throws. */
function takeCookies(setCookies: string[]): string[] {
  if (Object.isFrozen(setCookies)) return []
  const taken = setCookies.splice(0)
  Object.freeze(setCookies)
  return taken
}

/** Ends an event stream when the service stops; EventSource reconnects automatically, to a replica that does not stop. */
function endEventStreamWith(draining: AbortSignal, response: ServerResponse, stop: AbortController): void {
  const end = () => {
    if (!String(response.getHeader('content-type')).startsWith('text/event-stream')) return
    stop.abort(createAbortError('the service is stopping'))
    if (!response.writableEnded) response.end()
  }
  draining.addEventListener('abort', end)
  // A request on an idle connection may arrive while the service stops, and only its handler decides whether the
  // response is an event stream.
  const late = draining.aborted ? setInterval(end, LATE_STREAM_MS) : undefined
  response.on('close', () => {
    clearInterval(late)
    draining.removeEventListener('abort', end)
  })
}

/** How soon a stream that begins while the service stops is ended. */
const LATE_STREAM_MS = 100

async function untilLate(response: ServerResponse, timeoutMs: number, signal: AbortSignal, clock: Clock) {
  await clock.sleep(timeoutMs, signal)
  // The limit does not apply to a stream that has begun or to a complete response.
  if (response.headersSent || response.writableEnded || signal.aborted) await new Promise<never>(() => {})
  return { kind: 'late' } as const
}

async function headSentOrLate(call: HandlerCall, stop: AbortController, deps: ApiRoutesDeps): Promise<void> {
  const { response, handler } = call
  await deps.clock.sleep(handler.settings.timeoutMs, stop.signal)
  if (response.headersSent || response.writableEnded || stop.signal.aborted) return
  stop.abort(new Error('the API handler did not respond'))
  const isOwnFault = !handler.settings.externalResolver
  sendLate(call, deps, isOwnFault ? 'API handler returned without a response' : undefined)
}

function sendLate(
  { response, pattern, context }: HandlerCall,
  { log }: ApiRoutesDeps,
  message = 'API handler reached its time limit',
): void {
  log.error({ route: pattern, requestId: context.requestId }, message)
  sendError(response, 'data', { code: 'handler-late' })
}

function sendThrown(thrown: unknown, response: ApiResponse, call: HandlerCall, { log }: ApiRoutesDeps): void {
  const flow = controlFlowOf(thrown)
  if (flow?.kind === 'not-found' || flow?.kind === 'refused') {
    const code = flow.kind === 'refused' ? REFUSAL_CODES[flow.status] : flow.kind
    // RFC 9110 section 11.6.1: the challenge of a 401.
    sendError(response, 'data', { code, headers: { 'www-authenticate': response.getHeader('www-authenticate') } })
    return
  }
  const location = flow && siteLocation(flow.location, call.site)
  if (flow && location !== undefined && !response.headersSent) {
    response.redirect(flow.status, location)
    return
  }
  // The client closed the connection during request or response: not a fault of the handler, and no client would see a
  // digest.
  const isOfStream = String((thrown as { code?: unknown } | undefined)?.code).startsWith('ERR_STREAM_')
  if (response.destroyed && (isOfStream || thrown === call.request.errored)) return
  const digest = createDigest()
  log.error({ error: thrown, digest, route: call.pattern, requestId: call.context.requestId }, 'API handler failed')
  call.site.onRequestError?.(thrown, requestOf(call), { routePath: call.pattern, routeType: 'route' })
  sendError(response, 'data', { code: 'internal', digest })
}

/** The client's request, without the headers of the gateway. */
function requestOf({ request, context }: HandlerCall): FailedRequest {
  return { url: context.url, method: request.method ?? 'GET', headers: context.headers }
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    if (response.closed || response.destroyed) return done()
    response.once('close', done)
  })
}

interface ApiBodyOptions {
  limitBytes: number
  uploads: UploadScope
  semantics: Pick<Semantics, 'apiBody'>
}

/**
 * Returns the value of JSON, an object for forms (files as File), a string for text, and a Buffer for other types, with
 * `apiBody` a string; undefined without a body. Throws a ServiceError for a body that is malformed or too large.
 */
async function readApiBody(
  request: IncomingMessage,
  { limitBytes, uploads, semantics }: ApiBodyOptions,
): Promise<unknown> {
  const asText = semantics.apiBody === true
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const mediaType = mediaTypeOf(request.headers['content-type'])
  const empty = asText ? emptyBody(mediaType) : undefined
  if (coding === undefined && (length === undefined || length === '0')) return empty
  const options = { limitBytes: () => limitBytes, uploads }
  if (mediaType === 'application/x-www-form-urlencoded')
    return formToObject((await readUrlencoded(request, options)).entries)
  if (mediaType === 'multipart/form-data') return formToObject((await readMultipart(request, options)).entries)
  const bytes = await readWhole(request, options)
  if (bytes.length === 0) return empty
  const isJson = asText
    ? NEXT_JSON.includes(mediaType)
    : mediaType === 'application/json' || mediaType.endsWith('+json')
  if (isJson) return parseStrictJson(decodeUtf8(bytes))
  if (asText) return decodeText(bytes, request.headers['content-type'])
  return mediaType.startsWith('text/') ? decodeUtf8(bytes) : bytes
}

/** Next.js parses no other type as JSON. */
const NEXT_JSON: readonly string[] = ['application/json', 'application/ld+json']

/** Handlers take members of the body before they look at the method. */
function emptyBody(mediaType: string): unknown {
  return NEXT_JSON.includes(mediaType) || mediaType === 'application/x-www-form-urlencoded' ? {} : ''
}

/** As in Next.js, bytes that are no text are replaced: the handler may not read the body at all. */
function decodeText(bytes: Buffer, contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'The charset of the body is not supported.', cause })
  }
}
