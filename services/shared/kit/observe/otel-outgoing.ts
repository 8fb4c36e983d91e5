// Spans for the outgoing requests of a traced request: HTTP and Redis. Node, its fetch and ioredis publish on
// diagnostics channels, so nothing is patched. Work outside of a request (probes, look-ups, subscriptions) has no span.

import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import {
  type Attributes,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { formatTraceparent } from './trace-context.ts'

/** undici's request, as its channels publish it. */
interface FetchRequest {
  method: string
  origin: string | URL
  addHeader(name: string, value: string): void
}

/** What ioredis publishes of one command. SECURITY: only the command's name is read, never keys or values. */
interface RedisCommand {
  command: string
  serverAddress?: string
  serverPort?: number
}

/** Subscribes to the channels; returns the function that unsubscribes. */
export function watchOutgoing(tracer: Tracer): () => void {
  // Each channel publishes what its listener expects: Node, undici and ioredis document the messages.
  const listeners = Object.entries(listenersOf(createRequestSpans(tracer))) as [string, ChannelListener][]
  for (const [name, listener] of listeners) subscribe(name, listener)
  return () => {
    for (const [name, listener] of listeners) unsubscribe(name, listener)
  }
}

/** Spans by the object that the channels publish for a request. */
function createRequestSpans(tracer: Tracer) {
  const spans = new WeakMap<object, Span>()
  return {
    /** The span to pass on: a new one, the request's own if its trace is not recorded, or none outside of requests. */
    begin(key: object, name: string, attributes: Attributes): Span | undefined {
      const parent = trace.getActiveSpan()
      if (!parent || !isSampled(parent)) return parent
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes })
      // The SDK creates no span for its own export.
      if (!isSampled(span)) return undefined
      spans.set(key, span)
      return span
    },
    has: (key: object) => spans.has(key),
    responded(key: object, status: number) {
      const span = spans.get(key)
      span?.setAttribute('http.response.status_code', status)
      if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    },
    failed(key: object, error: unknown) {
      const span = spans.get(key)
      span?.setAttribute('error.type', errorType(error))
      span?.setStatus({ code: SpanStatusCode.ERROR })
    },
    end(key: object) {
      spans.get(key)?.end()
      spans.delete(key)
    },
  }
}

type RequestSpans = ReturnType<typeof createRequestSpans>

/** Listeners by channel. */
function listenersOf({ begin, has, responded, failed, end }: RequestSpans): Record<string, unknown> {
  return {
    'http.client.request.created': ({ request }: { request: ClientRequest }) => {
      // Headers given as a list are written already: no header can be added.
      if (request.headersSent) return
      const span = begin(request, request.method, {
        'http.request.method': request.method,
        'server.address': request.host,
      })
      if (!span) return
      passOn(span, (name, value) => request.setHeader(name, value))
      if (has(request)) request.once('close', () => end(request))
    },
    'http.client.response.finish': ({ request, response }: { request: ClientRequest; response: IncomingMessage }) => {
      responded(request, response.statusCode ?? 0)
    },
    'http.client.request.error': ({ request, error }: { request: ClientRequest; error: unknown }) => {
      failed(request, error)
    },
    'undici:request:create': ({ request }: { request: FetchRequest }) => {
      const { method, origin } = request
      const { hostname } = new URL(origin)
      const span = begin(request, method, { 'http.request.method': method, 'server.address': hostname })
      if (span) passOn(span, (name, value) => request.addHeader(name, value))
    },
    'undici:request:headers': ({ request, response }: { request: object; response: { statusCode: number } }) => {
      responded(request, response.statusCode)
    },
    'undici:request:trailers': ({ request }: { request: object }) => end(request),
    'undici:request:error': ({ request, error }: { request: object; error: unknown }) => {
      failed(request, error)
      end(request)
    },
    'tracing:ioredis:command:start': (command: RedisCommand) => {
      const name = command.command.toUpperCase()
      begin(command, name, {
        'db.system.name': 'redis',
        'db.operation.name': name,
        'server.address': command.serverAddress,
        'server.port': command.serverPort,
      })
    },
    'tracing:ioredis:command:error': (command: RedisCommand & { error: unknown }) => failed(command, command.error),
    'tracing:ioredis:command:asyncEnd': (command: RedisCommand) => end(command),
  }
}

/** Whether the span's trace is recorded. Work for an unrecorded trace needs no spans. */
export function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
}

/** Sends the trace context to the next service. */
function passOn(span: Span, set: (name: string, value: string) => void): void {
  const { traceId, spanId: parentId, traceFlags, traceState } = span.spanContext()
  set('traceparent', formatTraceparent({ traceId, parentId, flags: `0${traceFlags & 1}` }))
  const state = traceState?.serialize()
  if (state) set('tracestate', state)
}

/** A code such as ECONNREFUSED, else the error's name; the error's message may contain anything. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error.name
}
