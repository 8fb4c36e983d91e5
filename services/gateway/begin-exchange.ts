// The first step: gives a request its ids, splits its target, and sees to its access line.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomHex } from '../shared/node/request-id.ts'
import { formatTraceparent, parseTraceparent } from '../shared/node/trace-context.ts'
import { currentSpan } from '../shared/node/tracing.ts'
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
    const span = currentSpan()
    const traceId = span?.traceId ?? trace?.traceId ?? randomHex(32)
    const { socket } = request
    const exchange: Exchange = {
      requestId: randomHex(16),
      traceId,
      traceparent:
        span?.traceparent ?? formatTraceparent({ traceId, parentId: randomHex(16), flags: trace?.flags ?? '01' }),
      span,
      startedAt: performance.now(),
      method: request.method ?? 'GET',
      pathname,
      search: mark < 0 ? '' : target.slice(mark),
      ifNoneMatch: request.headers['if-none-match'],
      socket,
      bytesBefore: socket.bytesWritten,
      path: stripBasePath(pathname, basePath),
      route: undefined,
      pageData: undefined,
      replica: undefined,
      attempts: 0,
      upstreamMs: undefined,
      atEnd: undefined,
      refusal: undefined,
      pattern: undefined,
      cache: undefined,
      digest: undefined,
      code: undefined,
    }
    attachExchange(request, exchange)
    response.on('close', () => {
      // Answers of one connection wait for each other. One that broke off while it waited would be shown as far as it
      // came, and its end awaited for ever.
      if (!response.writableFinished) socket.destroy()
      exchange.atEnd?.(request)
      noteAnswer(exchange, response)
    })
  }
}
