// The gateway's log line and metrics of each request, at the end of its response.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { logRequest, type RequestEnd, tenths } from '@portico/shared/kit/observe/request-log.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { DEV_ROUTE_NAME } from '../routes.ts'
import { createAccessLines } from './access-lines.ts'

/** The returned function is called once per request. `perClient`: lines of one client in a second; 0: no limit. */
export function createAccessLog(log: Log, metrics: GatewayMetrics, perClient: number) {
  const mayWrite = perClient === 0 ? undefined : createAccessLines({ log, most: perClient })
  return function noteEnd(exchange: Exchange, end: RequestEnd, client = ''): void {
    const { method, pathname, requestId, traceId, guarded, notes } = exchange
    const { attempts, upstreamMs, resolvedAgain, digest, code, cache, rendererCache, rules, bypass } = notes
    const by = responderOf(exchange)
    const route = routeOf(exchange)
    // An upgraded connection lasts as long as its client wants.
    const ms = end.status === 101 ? (upstreamMs ?? 0) : end.ms
    metrics.responded(by, end.status, ms, cache, rendererCache)
    metrics.routed(route, end.status, ms)
    const fields = {
      route,
      bytes: exchange.socket.bytesWritten - exchange.bytesBefore,
      by,
      traceId,
      replica: notes.replica?.name,
      upstreamMs: upstreamMs === undefined ? undefined : tenths(upstreamMs),
      attempts: attempts > 1 ? attempts : undefined,
      resolvedAgain,
      cache,
      rendererCache,
      digest,
      code,
      rules,
      verdict: guarded?.verdict,
      uncached: bypass,
      refused: notes.refusal,
    }
    // A page loads hundreds of modules under development: their lines would hide those of the site.
    const level = exchange.found.route?.name === DEV_ROUTE_NAME ? 'debug' : 'info'
    if (level === 'debug' || !mayWrite || mayWrite(client, end.status))
      logRequest(log, { method, path: pathname, requestId }, end, fields, level)
    exchange.span?.describe({
      'http.route': route,
      'portico.by': by,
      'portico.request_id': requestId,
      'portico.attempts': attempts,
      'portico.cache': cache,
      'portico.digest': digest,
    })
  }
}

/** The pattern of the page, API route or action, else the name of the line in the routing table. */
function routeOf({ notes, found: { route } }: Exchange): string | undefined {
  return notes.pattern ?? route?.name
}

/**
 * A service, `external` for another host, `files`, `cache` for an entry of this gateway's page cache, or `gateway` for
 * redirects and refusals, which the gateway sends for every route.
 */
function responderOf({ found: { route }, notes: { attempts, cache } }: Exchange): string {
  if (attempts === 0 && cache !== undefined) return 'cache'
  if (route?.by === 'static-files' || route?.by === 'browser-manifest' || route?.by === 'public-files') return 'files'
  return route === undefined || attempts === 0 ? 'gateway' : route.by
}
