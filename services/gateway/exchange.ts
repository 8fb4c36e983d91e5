// What the gateway knows of one request while it is being answered: made by the first step, read by all others
// and, at the end, by the access line.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RefusalReason } from '../shared/node/refusals.ts'
import type { RequestSpan } from '../shared/node/tracing.ts'
import type { DataPath } from '../shared/wire/urls.ts'
import type { Replica } from './replicas/replicas.ts'
import type { Route } from './routes.ts'

export interface Exchange {
  /** Minted here; what a visitor sends as x-request-id is not believed. */
  readonly requestId: string
  readonly traceId: string
  /** W3C trace context for the upstream, with the gateway's own span as parent. */
  readonly traceparent: string
  /** The gateway's own span, where requests are traced. */
  readonly span: RequestSpan | undefined
  /** Milliseconds of performance.now(). */
  readonly startedAt: number
  /** Method as it came; express and proxies do not change it. */
  readonly method: string
  /** Raw pathname as it came, basePath included. */
  readonly pathname: string
  /** Empty or `?…`. */
  readonly search: string
  /** As the visitor sent it, before it was put into the upstream's words. */
  readonly ifNoneMatch: string | undefined
  readonly socket: Socket
  /** Bytes that the connection had sent before this answer. */
  readonly bytesBefore: number
  /** Raw pathname below basePath; undefined outside of it. */
  path: string | undefined
  route: Route | undefined
  /** What an address of page data names (W2); undefined for other addresses. */
  pageData: DataPath | undefined
  replica: Replica | undefined
  /** Requests sent upstream: 1, or 2 after a retry. */
  attempts: number
  /** Time from the start to the upstream's first byte. */
  upstreamMs: number | undefined
  /** Called once when the answer is closed, before the access line is written. */
  atEnd: ((request: IncomingMessage) => void) | undefined
  /** The limit that refused the request. */
  refusal: RefusalReason | undefined
  /** What the upstream said of itself in internal headers. */
  pattern: string | undefined
  cache: string | undefined
  digest: string | undefined
}

const EXCHANGE = Symbol('exchange')

interface Carrier {
  [EXCHANGE]?: Exchange
}

/** Ties an exchange to its request. */
export function attachExchange(request: IncomingMessage, exchange: Exchange): void {
  // A symbol of this file: nothing else can read or write the property.
  ;(request as Carrier)[EXCHANGE] = exchange
}

/** The exchange of a request that came through the first step. */
export function exchangeOf(request: IncomingMessage): Exchange {
  const exchange = (request as Carrier)[EXCHANGE]
  if (!exchange) throw new Error('the request did not come through the first step')
  return exchange
}
