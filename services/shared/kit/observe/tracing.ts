// Traces of requests across services (O7). Off by default: the process then loads nothing of OpenTelemetry's SDK, and
// every function here only reads a variable. otel-tracing.ts creates the spans.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from './log.ts'
import type { RequestHandler, RequestSpan, SpanFacts, Tracing, TracingConfig } from './tracer.ts'

let tracing: Tracing | undefined

/** Loads and starts OpenTelemetry if the settings request traces; before the service opens its first connection. */
export async function startTracing(service: string, { tracing: config }: { tracing: TracingConfig }, log: Log) {
  if (!config.isOn) return
  const { createOtelTracing } = await import('./otel-tracing.ts')
  tracing = createOtelTracing(service, config, log)
}

/** Whether requests are traced. */
export function isTracing(): boolean {
  return tracing !== undefined
}

/** Runs the handler of a request inside a span that ends with the response. */
export function traceRequest<T>(request: IncomingMessage, response: ServerResponse, run: RequestHandler<T>): T {
  return tracing ? tracing.request(request, response, run) : run(request, response)
}

/** Runs a part of a request's work inside its own span. Outside of a traced request there is no span. */
export function traced<T>(name: string, run: () => Promise<T>): Promise<T> {
  return tracing ? tracing.span(name, run) : run()
}

/** Adds a span for work of the current request that ended `agoMs` ago. */
export function tracePast(name: string, milliseconds: number, agoMs = 0): void {
  tracing?.past(name, milliseconds, agoMs)
}

/** The span of the current request; undefined while no request is traced. */
export function currentSpan(): RequestSpan | undefined {
  return tracing?.current()
}

/** Adds to the current span. */
export function describeSpan(facts: SpanFacts): void {
  tracing?.current()?.describe(facts)
}

/** Runs work that is not part of the current request: no span, and no trace context on its requests. */
export function untraced<T>(run: () => T): T {
  return tracing ? tracing.detached(run) : run()
}

/** Binds a function that runs later to the current request. */
export function boundToTrace<T>(run: () => T): () => T {
  return tracing ? tracing.bound(run) : run
}

/** Sends the last spans; stops after `limitMs`, because an unavailable collector must not delay the end (O5). */
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
