// The steps of an image request, in order.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type NextFunction, type Request, type Response } from 'express'
import { errorContentOf, sendError } from '../shared/node/error-response.ts'
import { ServiceError } from '../shared/node/errors.ts'
import { expressMessages } from '../shared/node/express-messages.ts'
import type { Log } from '../shared/node/log.ts'
import { requestIdOf } from '../shared/node/request-id.ts'
import type { MessageClasses } from '../shared/node/serve.ts'
import type { ImageSettings } from '../shared/wire/build-output.ts'
import { INTERNAL_HEADERS } from '../shared/wire/constants.ts'
import { prefixOf, splitTarget } from '../shared/wire/urls.ts'
import type { VariantTask } from './make/made-variant.ts'
import { TOTAL_TIMEOUT_MS } from './make/make-variant.ts'
import type { ImageMetrics } from './metrics.ts'
import type { WorkClass } from './queue/queue.ts'
import type { ParamRules } from './request/params.ts'
import { createTaskReader } from './request/read-task.ts'
import { createOutcomeSender } from './send/send-outcome.ts'
import type { Outcome, VariantServer } from './serve-variant.ts'

export interface ImagesAppDeps {
  settings: ImageSettings
  basePath: string
  rules: ParamRules
  variants: VariantServer
  metrics: ImageMetrics
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

export interface ImagesApp {
  /** For the server, so that its requests are express's own from the start. */
  messages: MessageClasses
  handler: RequestListener
}

/** The caller creates the parts behind the app. */
export function createImagesApp(deps: ImagesAppDeps): ImagesApp {
  const { basePath, log } = deps
  const paths = new Set([`${prefixOf(basePath)}/image`, `${basePath}/_next/image`])
  const serveImage = createImageHandler(deps)
  const app = express()
  app.disable('x-powered-by').disable('etag').disable('query parser')
  // One layer of express holds all steps: express takes longer from layer to layer than the steps take.
  app.use(function respond(request: Request, response: Response) {
    const { pathname, search } = splitTarget(request.url)
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, { allow: 'GET, HEAD' })
    if (!paths.has(pathname)) return refuse(response, 404)
    return serveImage(request, response, search)
  })
  // Express recognises an error handler by its four parameters.
  app.use(function respondToError(error: unknown, request: Request, response: Response, _next: NextFunction) {
    const cause = error instanceof URIError ? new ServiceError('malformed-path', { cause: error }) : error
    sendError(response, 'file', errorContentOf(cause, log, request))
  })
  return { messages: expressMessages(app), handler: app }
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  sendError(response, 'file', { status, headers: { 'cache-control': 'no-store', ...headers } })
}

function createImageHandler({ settings, basePath, rules, variants, metrics, log, now }: ImagesAppDeps) {
  const readTask = createTaskReader(settings, rules)
  const sendOutcome = createOutcomeSender(settings, basePath)

  return async function serveImage(request: IncomingMessage, response: ServerResponse, search: string): Promise<void> {
    const started = performance.now()
    const named = readTask(search, request.headers.accept)
    if (named.kind === 'refused') {
      metrics.responded('400', performance.now() - started)
      const message = `${named.parameter}=${JSON.stringify(named.value)} ${named.rule}`
      return sendError(response, 'file', {
        status: 400,
        message,
        headers: { 'cache-control': 'no-store', [INTERNAL_HEADERS.cache]: '400' },
      })
    }
    const task = { ...named.task, requestId: requestIdOf(request) }
    let clientClosed: AbortController | undefined
    const createSignal = () => {
      const controller = new AbortController()
      clientClosed = controller
      const onClose = () => {
        if (!response.writableFinished) controller.abort(new ClientLeftError('the client closed the connection'))
      }
      // The client may have closed the connection during the lookup in the store.
      if (response.closed) onClose()
      else response.once('close', onClose)
      return AbortSignal.any([controller.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)])
    }
    let outcome: Outcome
    try {
      outcome = await variants.serve(task, {
        createSignal,
        class: workClassOf(request.headers['sec-purpose']),
        widerKeys: named.widerKeys,
      })
    } catch (error) {
      if (clientClosed?.signal.aborted) return
      if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error
      outcome = { kind: 'failure', status: 504, text: 'The image took too long to make.', remainingMs: 0 }
    }
    const milliseconds = performance.now() - started
    metrics.responded(outcome.kind === 'variant' ? outcome.verdict : `${outcome.status}`, milliseconds)
    sendOutcome(request, response, outcome, now())
    logOutcome(log, task, outcome, { milliseconds, status: response.statusCode })
  }
}

/** A prefetch of a browser waits behind requests for images that are visible. */
function workClassOf(purpose: string | string[] | undefined): WorkClass {
  return typeof purpose === 'string' && purpose.startsWith('prefetch') ? 'warm-up' : 'viewer'
}

/**
 * One line per request, without the source's path and query. Only the log has the reason of a failure, no response has.
 */
function logOutcome(
  log: Log,
  task: VariantTask,
  outcome: Outcome,
  { milliseconds, status }: { milliseconds: number; status: number },
): void {
  const fields = {
    event: 'request',
    requestId: task.requestId,
    status,
    cache: outcome.kind === 'variant' ? outcome.verdict : undefined,
    ms: Math.round(milliseconds * 10) / 10,
    width: task.width,
    format: task.target,
    sourceHost: task.source.kind === 'remote' ? new URL(task.source.url).host : undefined,
  }
  if (outcome.kind === 'variant') log.info(fields, 'request')
  else log.warn({ ...fields, reason: outcome.reason ?? 'remembered' }, 'request')
}

/** Reason of the abort when a client closed the connection. */
class ClientLeftError extends Error {
  override name = 'ClientLeftError'
}
