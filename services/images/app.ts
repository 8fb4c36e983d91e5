// The steps of an image request, in order.

import type { RequestListener, ServerResponse } from 'node:http'
import { isClientGone, whileConnected } from '@portico/shared/kit/http/client-gone.ts'
import { errorContentOf, sendError } from '@portico/shared/kit/http/error-response.ts'
import { type ErrorCode, ServiceError } from '@portico/shared/kit/http/errors.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { runSteps } from '@portico/shared/kit/http/run-steps.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { logRequest, type OwnFields, onRequestEnd } from '@portico/shared/kit/observe/request-log.ts'
import { IMAGE_RESPONSE_MS, INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { prefixOf, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { ServedSettings } from './config.ts'
import { TOO_LATE, type VariantTask } from './make/make.ts'
import type { ImageMetrics } from './metrics.ts'
import type { WorkClass } from './queue/queue.ts'
import { createEarlierReader, createTaskReader, type EarlierSizes, type ParamRules } from './request/request.ts'
import { createOutcomeSender } from './send/send.ts'
import type { Outcome, VariantServer } from './serve-variant/serve-variant.ts'

interface ImagesAppDeps {
  settings: ServedSettings
  basePath: string
  rules: ParamRules
  variants: VariantServer
  metrics: ImageMetrics
  /** Sizes of other builds; without them only those of this build are allowed. */
  earlierSizes?: EarlierSizes | undefined
  /** The limit of images that are made for one client. */
  coldLimit?: ClientLimit | undefined
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The caller creates the parts behind the app. */
export function createImagesApp(deps: ImagesAppDeps): RequestListener {
  const { basePath, log } = deps
  const steps = Router()
  steps.use(createRequestLog(log), createGuard(basePath), whileConnected(createImageHandler(deps)))
  // Express recognises an error handler by its four parameters.
  steps.use(function respondToError(error: unknown, request: Request, response: Response, _next: NextFunction) {
    const cause = error instanceof URIError ? new ServiceError('malformed-path', { cause: error }) : error
    sendError(response, 'file', errorContentOf(cause, log, request))
  })
  return runSteps(steps, log)
}

/** What the steps of one request share, in express's `response.locals`. */
interface Locals {
  pathname: string
  search: string
  requestId: string
  /** Fields of the request's log line, without the source's path and query. */
  logged: OwnFields
}
type ImageResponse = Response<unknown, Locals>

function createRequestLog(log: Log) {
  return function beginRequest(request: Request, response: ImageResponse, next: NextFunction) {
    const { method, url } = request
    const { pathname, search } = splitTarget(url)
    const requestId = requestIdOf(request)
    const logged: OwnFields = {}
    response.locals = { pathname, search, requestId, logged }
    onRequestEnd(response, (end) => logRequest(log, { method, path: pathname, requestId }, end, logged))
    next()
  }
}

function createGuard(basePath: string) {
  const paths = new Set([`${prefixOf(basePath)}/image`, nextPathOf(basePath)])
  return function refuseOthers({ method }: Request, response: ImageResponse, next: NextFunction) {
    if (method !== 'GET' && method !== 'HEAD') refuse(response, 'method-not-allowed', { allow: 'GET, HEAD' })
    else if (!paths.has(response.locals.pathname)) refuse(response, 'not-found')
    else next()
  }
}

function nextPathOf(basePath: string): string {
  return `${basePath}/_next/image`
}

function refuse(response: ServerResponse, code: ErrorCode, headers: Record<string, string> = {}): void {
  sendError(response, 'file', { code, headers: { 'cache-control': 'no-store', ...headers } })
}

function createImageHandler({ settings, basePath, rules, variants, metrics, coldLimit, now, ...deps }: ImagesAppDeps) {
  const readTask = createTaskReader(settings, rules)
  const readEarlierTask = deps.earlierSizes && createEarlierReader(settings, rules, deps.earlierSizes)
  const sendOutcome = createOutcomeSender(settings, basePath)
  /** The address at which unknown parameters have no effect. */
  const lenientPath = settings.semantics.unknownImageParameters ? nextPathOf(basePath) : undefined

  return async function serveImage(request: Request, response: ImageResponse): Promise<void> {
    const { pathname, search, requestId, logged } = response.locals
    const started = performance.now()
    const read = [search, request.headers.accept, pathname === lenientPath] as const
    let named = readTask(...read)
    if (named.kind === 'refused' && named.isSize && readEarlierTask) named = await readEarlierTask(named, ...read)
    if (named.kind === 'refused') {
      metrics.responded('400', performance.now() - started)
      const message = `${named.parameter}=${JSON.stringify(named.value)} ${named.rule}`
      return sendError(response, 'file', {
        code: 'image-parameter',
        message,
        headers: { 'cache-control': 'no-store', [INTERNAL_HEADERS.cache]: '400' },
      })
    }
    const task = { ...named.task, requestId }
    let clientClosed: AbortController | undefined
    const createSignal = () => {
      const controller = new AbortController()
      clientClosed = controller
      const onClose = () => {
        if (!response.writableFinished) controller.abort(new ClientLeftError('the client closed the connection'))
      }
      // The client may have closed the connection during the lookup in the store.
      if (isClientGone(response)) onClose()
      else response.once('close', onClose)
      return AbortSignal.any([controller.signal, AbortSignal.timeout(IMAGE_RESPONSE_MS)])
    }
    let outcome: Outcome
    try {
      outcome = await variants.serve(task, {
        createSignal,
        class: workClassOf(request.headers['sec-purpose']),
        takeTurn: coldLimit && (() => coldLimit.take(clientOf(request))),
        widerKeys: named.widerKeys,
      })
    } catch (error) {
      if (clientClosed?.signal.aborted) return
      if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error
      outcome = { kind: 'failure', status: 504, text: TOO_LATE, remainingMs: 0 }
    }
    const milliseconds = performance.now() - started
    metrics.responded(outcome.kind === 'variant' ? outcome.verdict : `${outcome.status}`, milliseconds)
    if (outcome.rejection) metrics.rejected(outcome.rejection)
    Object.assign(logged, factsOf(task, outcome))
    sendOutcome(request, response, outcome, now())
  }
}

/**
 * The client's address. SECURITY: only the gateway connects to this port; it writes the header itself, as the client's
 * address that it believes (G5), and passes none of the client.
 */
function clientOf({ headers, socket }: Request): string {
  return headers['x-forwarded-for']?.toString() ?? socket.remoteAddress ?? ''
}

/** A prefetch of a browser waits behind requests for images that are visible. */
function workClassOf(purpose: string | string[] | undefined): WorkClass {
  return typeof purpose === 'string' && purpose.startsWith('prefetch') ? 'warm-up' : 'viewer'
}

/** Only the log has the reason of a failure, no response has. */
function factsOf(task: VariantTask, outcome: Outcome): OwnFields {
  return {
    cache: outcome.kind === 'variant' ? outcome.verdict : undefined,
    width: task.width,
    format: task.target,
    sourceHost: task.source.kind === 'remote' ? new URL(task.source.url).host : undefined,
    reason: outcome.kind === 'variant' ? undefined : (outcome.reason ?? 'remembered'),
    rejected: outcome.rejection,
  }
}

/** Reason of the abort when a client closed the connection. */
class ClientLeftError extends Error {
  override name = 'ClientLeftError'
}
