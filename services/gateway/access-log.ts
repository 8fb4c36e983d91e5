// One structured line per request at its end (G7), and the figures that operators watch. Never a body, a cookie or a
// query value.

import type { ServerResponse } from 'node:http'
import type { Log } from '../shared/node/log.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'

/** Prepares the writer of access lines; called once per answer, when it is closed. */
export function createAccessLog(log: Log, metrics: GatewayMetrics) {
  return function noteAnswer(exchange: Exchange, response: ServerResponse): void {
    const ms = performance.now() - exchange.startedAt
    const by = answeredBy(exchange)
    const status = response.statusCode
    metrics.answered(by, status, ms)
    const line: Record<string, unknown> = {
      event: 'request',
      method: exchange.method,
      path: exchange.pathname,
      route: exchange.pattern ?? exchange.route?.name,
      status,
      ms: Math.round(ms * 10) / 10,
      bytes: exchange.socket.bytesWritten - exchange.bytesBefore,
      by,
      requestId: exchange.requestId,
      traceId: exchange.traceId,
    }
    if (exchange.replica) line.replica = exchange.replica.name
    if (exchange.upstreamMs !== undefined) line.upstreamMs = Math.round(exchange.upstreamMs * 10) / 10
    if (exchange.attempts > 1) line.attempts = exchange.attempts
    if (exchange.cache !== undefined) line.cache = exchange.cache
    if (exchange.digest !== undefined) line.digest = exchange.digest
    // The visitor left, or the upstream broke off: the status alone would look like a success.
    if (!response.writableFinished) line.incomplete = true
    log.info(line)
  }
}

/** Redirects and refusals are the gateway's own, whoever the route names. */
function answeredBy({ route, attempts }: Exchange): string {
  if (route?.by === 'static-files' || route?.by === 'browser-manifest' || route?.by === 'public-files') return 'files'
  return route === undefined || attempts === 0 ? 'gateway' : route.by
}
