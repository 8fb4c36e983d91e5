// A receiver of traces, like a collector: OTLP over HTTP with JSON. The receiver can hang or stop.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
  /** As OTLP numbers them: 1 internal, 2 server, 3 client. */
  kind: number
  attributes: Record<string, unknown>
  startMs: number
  endMs: number
}

export interface TraceReceiver {
  url: string
  /** All spans, in the order of their arrival. */
  spans: ReceivedSpan[]
  /** Accepts requests and responds to none of them. */
  fallSilent(): void
  stop(): Promise<void>
}

/** Starts the receiver on a free port. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  let isSilent = false
  const server = createServer((request, response) => {
    if (isSilent) return void request.resume()
    void readText(request).then((text) => {
      if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end()
      spans.push(...parseTraces(JSON.parse(text)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    fallSilent() {
      isSilent = true
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

interface OtlpAttribute {
  key: string
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
}

interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  attributes?: OtlpAttribute[]
  startTimeUnixNano: string
  endTimeUnixNano: string
}

interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** The part of OTLP's JSON that the tests read; anything else makes them fail. */
function parseTraces(body: unknown): ReceivedSpan[] {
  const { resourceSpans } = body as OtlpTraces
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(read(resource.attributes)['service.name'])
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ attributes = [], startTimeUnixNano, endTimeUnixNano, parentSpanId = '', ...span }) => ({
        ...span,
        service,
        parentSpanId,
        attributes: read(attributes),
        startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
      })),
    )
  })
}

function read(attributes: OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  )
}
