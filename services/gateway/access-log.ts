// One structured line per request at its end (G7), and the figures that operators watch. Never a body, a cookie or a
// query value.

import type { ServerResponse } from 'node:http'
import { jsonText, type Log, writeFields } from '../shared/node/log.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'

/** Prepares the writer of access lines; called once per answer, when it is closed. */
export function createAccessLog(log: Log, metrics: GatewayMetrics) {
  return function noteAnswer(exchange: Exchange, response: ServerResponse): void {
    const ms = performance.now() - exchange.startedAt
    const by = answeredBy(exchange)
    const status = response.headersSent ? response.statusCode : LEFT_BEFORE
    metrics.answered(by, status, ms)
    writeFields(log, fieldsOf(exchange, response, { by, status, ms }))
    exchange.span?.describe({
      'http.route': routeOf(exchange),
      'portico.by': by,
      'portico.request_id': exchange.requestId,
      'portico.attempts': exchange.attempts,
      'portico.cache': exchange.cache,
      'portico.digest': exchange.digest,
    })
  }
}

/** The visitor left before anything was answered: the status that stands in the answer by default is no success. */
const LEFT_BEFORE = 499

/** The line as JSON. Ids, names of services and addresses are our own; the rest may need escapes. */
function fieldsOf(
  exchange: Exchange,
  response: ServerResponse,
  { by, status, ms }: { by: string; status: number; ms: number },
): string {
  const { method, pathname, socket, requestId, traceId, replica, upstreamMs, attempts, cache, digest, code, refusal } =
    exchange
  const route = routeOf(exchange)
  const bytes = socket.bytesWritten - exchange.bytesBefore
  let line = `,"event":"request","method":${jsonText(method)},"path":${jsonText(pathname)}`
  if (route !== undefined) line += `,"route":${jsonText(route)}`
  line += `,"status":${status},"ms":${tenths(ms)},"bytes":${bytes},"by":"${by}"`
  line += `,"requestId":"${requestId}","traceId":"${traceId}"`
  if (replica) line += `,"replica":"${replica.name}"`
  if (upstreamMs !== undefined) line += `,"upstreamMs":${tenths(upstreamMs)}`
  if (attempts > 1) line += `,"attempts":${attempts}`
  if (cache !== undefined) line += `,"cache":${jsonText(cache)}`
  if (digest !== undefined) line += `,"digest":${jsonText(digest)}`
  if (code !== undefined) line += `,"code":${jsonText(code)}`
  if (refusal !== undefined) line += `,"refused":"${refusal}"`
  // The visitor left, or the upstream broke off: the status alone would look like a success.
  return response.writableFinished ? line : `${line},"incomplete":true`
}

/** The page's pattern as its service told it, else the name of the rule that chose who answers. */
function routeOf({ pattern, route }: Exchange): string | undefined {
  return pattern ?? route?.name
}

/** Milliseconds as logs and headers show them. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** Redirects and refusals are the gateway's own, whoever the route names. */
function answeredBy({ route, attempts }: Exchange): string {
  if (route?.by === 'static-files' || route?.by === 'browser-manifest' || route?.by === 'public-files') return 'files'
  return route === undefined || attempts === 0 ? 'gateway' : route.by
}
