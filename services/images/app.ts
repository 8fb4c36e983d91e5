// The middleware of the images service, in order.

import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { answerOf, sendError } from '../shared/node/error-response.ts'
import { ServiceError } from '../shared/node/errors.ts'
import type { Log } from '../shared/node/log.ts'
import { requestIdOf } from '../shared/node/request-id.ts'
import { describeSpan, isTracing } from '../shared/node/tracing.ts'
import type { ImageSettings } from '../shared/wire/build-output.ts'
import { INTERNAL_HEADERS } from '../shared/wire/constants.ts'
import { prefixOf, splitTarget } from '../shared/wire/urls.ts'
import type { WorkClass } from './encoding/queue.ts'
import type { ImageMetrics } from './image-metrics.ts'
import type { VariantTask } from './made-variant.ts'
import { TOTAL_TIMEOUT_MS } from './make-variant.ts'
import { negotiateFormat } from './negotiate-format.ts'
import { type ImageRequest, type ParamRules, parseImageRequest } from './params.ts'
import { sendOutcome } from './send-outcome.ts'
import type { Outcome, VariantServer } from './serve-variant.ts'
import { type TargetFormat, variantKey } from './variant.ts'

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

/** A request handler; everything behind it is made by the caller. */
export function createImagesApp(deps: ImagesAppDeps): express.Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  app.use(onlyImagePaths(deps.basePath))
  app.use(onlyGet)
  app.use(serveImage(deps))
  app.use(handleError(deps))
  return app
}

/** Both addresses of I1; anything else is not here. */
function onlyImagePaths(basePath: string): RequestHandler {
  const paths = new Set([`${prefixOf(basePath)}/image`, `${basePath}/_next/image`])
  return function onlyImagePaths(request, response, next) {
    if (paths.has(splitTarget(request.url).pathname)) return next()
    sendError(response, 'file', { status: 404, headers: { 'cache-control': 'no-store' } })
  }
}

const onlyGet: RequestHandler = function onlyGet(request, response, next) {
  if (request.method === 'GET' || request.method === 'HEAD') return next()
  sendError(response, 'file', { status: 405, headers: { allow: 'GET, HEAD', 'cache-control': 'no-store' } })
}

function serveImage(deps: ImagesAppDeps): RequestHandler {
  const { settings, basePath, rules, variants, metrics, log, now } = deps
  // A change of these settings makes other bytes of the same source.
  const fingerprint = `${settings.effort.avif}.${settings.effort.webp}`
  const keyOf = (image: ImageRequest, width: number, target: TargetFormat) =>
    image.kind === 'facts'
      ? variantKey([image.source.url, 'facts'])
      : variantKey([image.source.url, width, image.quality, target, fingerprint])

  return async function serveImage(request, response) {
    const started = performance.now()
    const image = parseImageRequest(splitTarget(request.url).search, rules)
    if (image.kind === 'refused') {
      metrics.answered('400', performance.now() - started)
      const message = `${image.parameter}=${JSON.stringify(image.value)} ${image.rule}`
      return sendError(response, 'file', {
        status: 400,
        message,
        headers: { 'cache-control': 'no-store', [INTERNAL_HEADERS.cache]: '400' },
      })
    }
    const target = image.kind === 'facts' ? 'facts' : negotiateFormat(request.headers.accept, settings.formats)
    const width = image.kind === 'facts' ? 0 : image.width
    const task: VariantTask = {
      key: keyOf(image, width, target),
      source: image.source,
      target,
      width,
      quality: image.kind === 'facts' ? 0 : image.quality,
      requestId: requestIdOf(request),
    }
    const wider = image.kind === 'facts' ? [] : rules.widths.filter((candidate) => candidate > width)
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort(new VisitorLeftError('the visitor left'))
    })
    let outcome: Outcome
    try {
      outcome = await variants.serve(task, {
        createSignal: () => AbortSignal.any([gone.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]),
        class: workClassOf(request.headers['sec-purpose']),
        widerKeys: wider.map((candidate) => keyOf(image, candidate, target)),
      })
    } catch (error) {
      if (gone.signal.aborted) return
      if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error
      outcome = { kind: 'failure', status: 504, text: 'The image took too long to make.', remainingMs: 0 }
    }
    const milliseconds = performance.now() - started
    metrics.answered(outcome.kind === 'variant' ? outcome.verdict : `${outcome.status}`, milliseconds)
    sendOutcome(response, outcome, { settings, basePath, now: now() })
    logOutcome(log, task, outcome, { milliseconds, status: response.statusCode })
    if (isTracing())
      describeSpan({
        'http.route': `${prefixOf(basePath)}/image`,
        'portico.cache': outcome.kind === 'variant' ? outcome.verdict : undefined,
      })
  }
}

/** What a browser fetches ahead of need waits behind those who look at an empty frame. */
function workClassOf(purpose: string | string[] | undefined): WorkClass {
  return typeof purpose === 'string' && purpose.startsWith('prefetch') ? 'warm-up' : 'viewer'
}

/** One line a request; never the source's path or query. Why a source failed is said to the operator only. */
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

/** Reason of the abort when a visitor closed the connection. */
class VisitorLeftError extends Error {
  override name = 'VisitorLeftError'
}

function handleError({ log }: ImagesAppDeps): ErrorRequestHandler {
  // Express tells error handlers by their four parameters.
  return function handleError(error: unknown, request, response, _next) {
    const cause = error instanceof URIError ? new ServiceError('malformed-path', { cause: error }) : error
    sendError(response, 'file', answerOf(cause, log, request))
  }
}
