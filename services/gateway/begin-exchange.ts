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
    // A state belongs to the trace that it came with (W3C Trace Context section 3.3).
    if (!trace && request.headers.tracestate !== undefined) delete request.headers.tracestate
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

/** Reads a W3C traceparent; of versions after 00 the part that they share with it (section 3.2.4). Undefined for anything else. */
export function parseTraceparent(header: unknown): { traceId: string; flags: string } | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined
  // Of a later version's flags only the sampled one means the same.
  return { traceId, flags: version === '00' ? flags : `0${Number.parseInt(flags, 16) & 1}` }
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/
