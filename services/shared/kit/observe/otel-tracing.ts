// Traces through OpenTelemetry's SDK: only tracing.ts loads this file, and only when the settings request traces (O7).

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Context,
  context,
  createTraceState,
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { whenClosed } from '../when-closed.ts'
import type { Log } from './log.ts'
import { isSampled, watchOutgoing } from './otel-outgoing.ts'
import { formatTraceparent, parseTraceparent } from './trace-context.ts'
import type { RequestSpan, SpanFacts, Tracing, TracingConfig } from './tracer.ts'

/** Spans that wait for the collector; more are dropped, so that an unavailable collector costs bounded memory. */
const QUEUE_SPANS = 2048
/** Longest text of an attribute. */
const LONGEST_TEXT = 256
/** An unavailable collector is reported once in this time. */
const REPORT_PAUSE_MS = 60_000

/** Starts the SDK and registers it, so that site code with OpenTelemetry's API adds to the same traces. */
export function createOtelTracing(service: string, config: TracingConfig, log: Log): Tracing {
  reportFaults(log)
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES of the environment override this name.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `portico-${service}` }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: LONGEST_TEXT },
    spanProcessors: [
      // OpenTelemetry's own variables set address, headers, certificates and time limit of the exporter.
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        maxQueueSize: QUEUE_SPANS,
        scheduledDelayMillis: config.exportDelayMs,
      }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  trace.setGlobalTracerProvider(provider)
  const tracer = provider.getTracer('portico')
  const unwatch = watchOutgoing(tracer)
  return {
    request: (request, response, run) => traceRequest(tracer, request, response, run),
    span: (name, run) => traceSpan(tracer, name, run),
    past(name, milliseconds, agoMs) {
      if (!sampledSpan()) return
      const endedAt = Date.now() - agoMs
      tracer.startSpan(name, { startTime: endedAt - milliseconds }).end(endedAt)
    },
    current() {
      const span = trace.getActiveSpan()
      return span && requestSpanOf(span)
    },
    detached: (run) => context.with(ROOT_CONTEXT, run),
    bound: (run) => context.bind(context.active(), run),
    async close() {
      unwatch()
      // Spans that cannot be sent are lost; the log reported the reason.
      await provider.shutdown().catch(() => {})
    },
  }
}

function traceRequest<T>(
  tracer: Tracer,
  request: IncomingMessage,
  response: ServerResponse,
  run: (request: IncomingMessage, response: ServerResponse) => T,
): T {
  const method = request.method ?? 'GET'
  const target = request.url ?? '/'
  const mark = target.indexOf('?')
  const parent = contextOf(request)
  const attributes = { 'http.request.method': method, 'url.path': mark < 0 ? target : target.slice(0, mark) }
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
  whenClosed(response, () => {
    const endedAt = Date.now()
    const { statusCode: status, writableFinished: isWhole } = response
    // After the others that wait for the end, which add details of the response.
    queueMicrotask(() => {
      span.setAttribute('http.response.status_code', status)
      if (!isWhole) span.setAttribute('portico.incomplete', true)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endedAt)
    })
  })
  methods.set(span, method)
  return context.with(trace.setSpan(parent, span), run, undefined, request, response)
}

/** Methods of requests: the names of their spans begin with the method. */
const methods = new WeakMap<Span, string>()

/** The context that the caller sent; an empty context without a valid one. */
function contextOf({ headers }: IncomingMessage): Context {
  const parent = parseTraceparent(headers.traceparent)
  if (!parent) return ROOT_CONTEXT
  const { tracestate } = headers
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: parent.traceId,
    spanId: parent.parentId,
    traceFlags: Number.parseInt(parent.flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(String(tracestate)) }),
  })
}

async function traceSpan<T>(tracer: Tracer, name: string, run: () => Promise<T>): Promise<T> {
  if (!sampledSpan()) return run()
  const span = tracer.startSpan(name)
  try {
    return await context.with(trace.setSpan(context.active(), span), run)
  } catch (error) {
    // SECURITY: a thrown value may contain anything; the log has the error under the digest.
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/** The active span, if its trace is recorded. */
function sampledSpan(): Span | undefined {
  const span = trace.getActiveSpan()
  return span && isSampled(span) ? span : undefined
}

function requestSpanOf(span: Span): RequestSpan | undefined {
  const facts = span.spanContext()
  if (!isSpanContextValid(facts)) return undefined
  const { traceId, spanId: parentId, traceFlags } = facts
  return {
    traceId,
    traceparent: formatTraceparent({ traceId, parentId, flags: `0${traceFlags & 1}` }),
    describe: (given) => describe(span, given),
    within: (run) => context.with(trace.setSpan(ROOT_CONTEXT, span), run),
  }
}

function describe(span: Span, facts: SpanFacts): void {
  for (const [name, value] of Object.entries(facts)) if (value !== undefined) span.setAttribute(name, value)
  const route = facts['http.route']
  const method = methods.get(span)
  if (route !== undefined && method !== undefined) span.updateName(`${method} ${route}`)
}

/** OTEL_TRACES_SAMPLER with the names of OpenTelemetry's specification. */
function samplerOf({ sampler, sampledRatio }: TracingConfig): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(sampledRatio)
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() })
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() })
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledRatio) })
    default:
      return sampler satisfies never
  }
}

function reportFaults(log: Log): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report: DiagLogFunction = (message) => {
    if (performance.now() - reportedAt < REPORT_PAUSE_MS) return
    reportedAt = performance.now()
    log.warn({ event: 'traces-lost', reason: message.slice(0, LONGEST_TEXT) }, 'traces not sent')
  }
  const quiet: DiagLogFunction = () => {}
  diag.setLogger({ error: report, warn: report, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN)
}
