// The first step: creates the exchange of a request with its ids and the parts of its target, and reports its end.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomHex } from '@portico/shared/kit/http/request-id.ts'
import { onRequestEnd, type RequestEnd } from '@portico/shared/kit/observe/request-log.ts'
import { formatTraceparent, parseTraceparent } from '@portico/shared/kit/observe/trace-context.ts'
import { currentSpan } from '@portico/shared/kit/observe/tracing.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { prefixedStaticPaths, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { NextFunction } from 'express'
import { attachExchange, type Exchange, NOTHING_FOUND } from '../exchange/exchange.ts'

/**
 * Creates the middleware, and the part of it that reports no end. `noteEnd` is called once, when the response is closed, with
 * what `clientOf` returned.
 */
export function createExchangeBeginner(
  { basePath, assetPrefix }: Pick<Manifest, 'basePath' | 'assetPrefix'>,
  clientOf: ((request: IncomingMessage) => string) | undefined,
  noteEnd: (exchange: Exchange, end: RequestEnd, client: string | undefined) => void,
) {
  const staticPathOf = assetPrefix === undefined ? undefined : prefixedStaticPaths(assetPrefix)
  const pathOf = (pathname: string) => staticPathOf?.(pathname) ?? stripBasePath(pathname, basePath)
  const createExchange = (request: IncomingMessage): Exchange => {
    const target = request.url ?? '/'
    const mark = target.indexOf('?')
    const pathname = mark < 0 ? target : target.slice(0, mark)
    const trace = parseTraceparent(request.headers.traceparent)
    // `tracestate` has no meaning without a valid `traceparent` (W3C Trace Context section 3.3).
    if (!trace && request.headers.tracestate !== undefined) delete request.headers.tracestate
    const span = currentSpan()
    const traceId = span?.traceId ?? trace?.traceId ?? randomHex(32)
    const { socket } = request
    return {
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
      path: pathOf(pathname),
      locale: undefined,
      pageData: undefined,
      found: NOTHING_FOUND,
      guarded: undefined,
      comparesClient: false,
      rewritesCompareClient: false,
      variesByLocale: false,
      atEnd: undefined,
      notes: {
        replica: undefined,
        attempts: 0,
        upstreamMs: undefined,
        rules: undefined,
        bypass: undefined,
        refusal: undefined,
        pattern: undefined,
        resolvedAgain: undefined,
        cache: undefined,
        rendererCache: undefined,
        digest: undefined,
        code: undefined,
      },
    }
  }
  const attach = (request: IncomingMessage): Exchange => {
    const exchange = createExchange(request)
    attachExchange(request, exchange)
    return exchange
  }
  const beginExchange = (request: IncomingMessage, response: ServerResponse, next: NextFunction) => {
    const { socket } = request
    const exchange = attach(request)
    // A closed socket has no address.
    const client = clientOf?.(request)
    onRequestEnd(response, (end) => {
      // Pipelined responses wait for each other. A response that broke off while it waited would be sent without its
      // end, and the client would wait forever.
      if (!end.isComplete) socket.destroy()
      exchange.atEnd?.(request)
      noteEnd(exchange, end, client)
    })
    next()
  }
  return { beginExchange, attach }
}
