// Traces of requests across services (O7). Off unless the environment asks for it: then nothing of OpenTelemetry's SDK
// is loaded, and every function here is one look at a variable. What spans are made of is otel-tracing.ts's work.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TracingConfig } from './config.ts'
import type { Log } from './log.ts'

/** Names as OpenTelemetry's semantic conventions have them. SECURITY: never a query value, a cookie, a body or a text of an error. */
export type SpanFacts = Record<string, string | number | boolean | undefined>

/** The span of one request, for those who outlive its context. */
export interface RequestSpan {
  readonly traceId: string
  /** W3C trace context with this span as the parent. */
  readonly traceparent: string
  /** Adds to the span; `http.route` becomes a part of its name. */
  describe(facts: SpanFacts): void
  /** Runs work that belongs to the span. */
  within<T>(run: () => T): T
}

type RequestHandler<T> = (request: IncomingMessage, response: ServerResponse) => T

/** A running tracer. */
export interface Tracing {
  request<T>(request: IncomingMessage, response: ServerResponse, run: RequestHandler<T>): T
  span<T>(name: string, run: () => Promise<T>): Promise<T>
  past(name: string, milliseconds: number, agoMs: number): void
  current(): RequestSpan | undefined
  detached<T>(run: () => T): T
  bound<T>(run: () => T): () => T
  /** Sends what is left. */
  close(): Promise<void>
}

let tracing: Tracing | undefined

/** Loads and starts OpenTelemetry if the settings ask for it; before the service opens its first connection. */
export async function startTracing(service: string, { tracing: config }: { tracing: TracingConfig }, log: Log) {
  if (!config.isOn) return
  const { createOtelTracing } = await import('./otel-tracing.ts')
  tracing = createOtelTracing(service, config, log)
}

/** Whether requests are traced. */
export function isTracing(): boolean {
  return tracing !== undefined
}

/** Runs the handler of a request inside a span that ends with the answer. */
export function traceRequest<T>(request: IncomingMessage, response: ServerResponse, run: RequestHandler<T>): T {
  return tracing ? tracing.request(request, response, run) : run(request, response)
}

/** Runs a part of a request's work inside a span of its own. Outside of a traced request there is none. */
export function traced<T>(name: string, run: () => Promise<T>): Promise<T> {
  return tracing ? tracing.span(name, run) : run()
}

/** A span for work of the request at hand that ended `agoMs` ago. */
export function tracePast(name: string, milliseconds: number, agoMs = 0): void {
  tracing?.past(name, milliseconds, agoMs)
}

/** The span of the request at hand; undefined while nothing is traced. */
export function currentSpan(): RequestSpan | undefined {
  return tracing?.current()
}

/** Adds to the span at hand. */
export function describeSpan(facts: SpanFacts): void {
  tracing?.current()?.describe(facts)
}

/** Runs what must not be told of the request at hand: no span, and no trace context on what it sends. */
export function untraced<T>(run: () => T): T {
  return tracing ? tracing.detached(run) : run()
}

/** Ties a function that somebody else will call to the request at hand. */
export function boundToTrace<T>(run: () => T): () => T {
  return tracing ? tracing.bound(run) : run
}

/** Sends the last spans; gives up after `limitMs`, since a collector that is away must not hold up an end (O5). */
export async function stopTracing(limitMs: number): Promise<void> {
  if (!tracing) return
  const last = tracing.close()
  tracing = undefined
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, limitMs)
  })
  await Promise.race([last, late])
  clearTimeout(timer)
}
