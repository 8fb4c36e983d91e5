// The first step: gives a request its ids, splits its target, and sees to its access line.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomHex } from '../shared/node/request-id.ts'
import { stripBasePath } from '../shared/wire/urls.ts'
import { attachExchange, type Exchange } from './exchange.ts'

/** Prepares the step. `noteAnswer` is called once, when the answer is closed. */
export function createExchangeBeginner(
  basePath: string,
  noteAnswer: (exchange: Exchange, response: ServerResponse) => void,
) {
  return function beginExchange(request: IncomingMessage, response: ServerResponse): void {
    const target = request.url ?? '/'
    const mark = target.indexOf('?')
    const pathname = mark < 0 ? target : target.slice(0, mark)
    const trace = parseTraceparent(request.headers.traceparent)
    const traceId = trace?.traceId ?? randomHex(32)
    const { socket } = request
    const exchange: Exchange = {
      requestId: randomHex(16),
      traceId,
      traceparent: `00-${traceId}-${randomHex(16)}-${trace?.flags ?? '01'}`,
      startedAt: performance.now(),
      method: request.method ?? 'GET',
      pathname,
      search: mark < 0 ? '' : target.slice(mark),
      ifNoneMatch: request.headers['if-none-match'],
      socket,
      bytesBefore: socket.bytesWritten,
      path: stripBasePath(pathname, basePath),
      route: undefined,
      replica: undefined,
      attempts: 0,
      upstreamMs: undefined,
      atEnd: undefined,
      pattern: undefined,
      cache: undefined,
      digest: undefined,
    }
    attachExchange(request, exchange)
    response.on('close', () => {
      exchange.atEnd?.()
      noteAnswer(exchange, response)
    })
  }
}

/** Reads a W3C traceparent of version 00; undefined for anything else. */
export function parseTraceparent(header: unknown): { traceId: string; flags: string } | undefined {
  if (typeof header !== 'string') return undefined
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header)
  if (!match?.[1] || !match[3] || /^0+$/.test(match[1]) || /^0+$/.test(match[2] ?? '')) return undefined
  return { traceId: match[1], flags: match[3] }
}
