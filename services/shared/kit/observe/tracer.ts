// What a tracer offers: tracing.ts uses one if the settings request traces, otel-tracing.ts creates it (O7).

import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Names of OpenTelemetry's semantic conventions. SECURITY: never a query value, a cookie, a body or the text of an
 * error.
 */
export type SpanFacts = Record<string, string | number | boolean | undefined>

/** The span of one request, for code that runs after the request's context has ended. */
export interface RequestSpan {
  readonly traceId: string
  /** W3C trace context with this span as the parent. */
  readonly traceparent: string
  /** Adds to the span; `http.route` becomes a part of its name. */
  describe(facts: SpanFacts): void
  /** Runs work that belongs to the span. */
  within<T>(run: () => T): T
}

export type RequestHandler<T> = (request: IncomingMessage, response: ServerResponse) => T

/** A running tracer. */
export interface Tracing {
  request<T>(request: IncomingMessage, response: ServerResponse, run: RequestHandler<T>): T
  span<T>(name: string, run: () => Promise<T>): Promise<T>
  past(name: string, milliseconds: number, agoMs: number): void
  current(): RequestSpan | undefined
  detached<T>(run: () => T): T
  bound<T>(run: () => T): () => T
  /** Sends the remaining spans. */
  close(): Promise<void>
}

/** Of OpenTelemetry's specification. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export interface TracingConfig {
  isOn: boolean
  sampler: (typeof SAMPLERS)[number]
  sampledRatio: number
  exportDelayMs: number
}
