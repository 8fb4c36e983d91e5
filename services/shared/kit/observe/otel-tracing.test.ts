import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTraceReceiver, type TraceReceiver } from '../../../../infra/e2e/behaviours/http/trace-receiver.ts'
import { createAfterTasks, tasksBehind } from '../life/after/after-tasks.ts'
import { type Service, startService } from '../life/serve.ts'
import { createFixedKeyring } from '../secrets/keyring.ts'
import { createLog } from './log.ts'
import type { TracingConfig } from './tracer.ts'
import { currentSpan, describeSpan, isTracing, startTracing, traced, tracePast, untraced } from './tracing.ts'

const TOKEN = 't'.repeat(32)
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
/** So long that only the end of the service can have sent the received spans. */
const NEVER_MS = 600_000

const log = createLog('gateway', 'silent')
let receiver: TraceReceiver
const requests: IncomingMessage[] = []

async function startDoor(port = 0): Promise<Service> {
  const after = createAfterTasks(log)
  return startService({
    log,
    after,
    listeners: [
      {
        name: 'public',
        host: '127.0.0.1',
        port,
        handler(request, response) {
          requests.push(request)
          if (!request.url?.startsWith('/page')) return void response.end(currentSpan()?.traceId)
          const host = `http://${request.headers.host}`
          if (request.url === '/page/behind') {
            const behind = async () => (await fetch(`${host}/of-after`)).text()
            tasksBehind(after, 'request-1', response)('/page/behind', behind)
            return void response.end()
          }
          void traced('data', async () => {
            trace.getTracer('site').startSpan('of the site').end()
            await (await fetch(`${host}/by-fetch`)).text()
            const [reply] = (await once(get(`${host}/by-get`), 'response')) as [IncomingMessage]
            await reply.resume().toArray()
            const [other] = (await untraced(() => once(get(`${host}/untraced`), 'response'))) as [IncomingMessage]
            await other.resume().toArray()
          }).then(() => {
            tracePast('phase', 25)
            describeSpan({ 'http.route': '/page/[id]', 'portico.cache': undefined })
            response.end(currentSpan()?.traceId)
          })
        },
      },
    ],
    inner: {
      host: '127.0.0.1',
      port: 0,
      token: createFixedKeyring([TOKEN]),
      routes: [
        { method: 'POST', path: '/internal/deed', handler: async (_body, _request, response) => void response.end() },
      ],
    },
    drain: { delayMs: 0, deadlineMs: 5000 },
  })
}

/** Traces one service from its start to its end; resolves with the received spans. */
async function whileTraced(config: Partial<TracingConfig>, visit: (service: Service) => Promise<void>) {
  receiver.spans.length = 0
  requests.length = 0
  const tracing = { isOn: true, sampler: 'parentbased_always_on', sampledRatio: 1, exportDelayMs: NEVER_MS } as const
  await startTracing('gateway', { tracing: { ...tracing, ...config } }, log)
  const service = await startDoor()
  await visit(service)
  expect(receiver.spans).toEqual([])
  await service.stop()
  expect(isTracing()).toBe(false)
  return receiver.spans
}

beforeAll(async () => {
  receiver = await startTraceReceiver()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await receiver.stop()
})

const at = (service: Service, path: string, name = 'public') => `http://127.0.0.1:${service.ports[name]}${path}`

describe('traces of one service', () => {
  it('O7 continues the received trace, passes it on, and sends the last spans when the service stops', async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' }
    const spans = await whileTraced({}, async (service) => {
      const response = await fetch(at(service, '/page/7?secret=1'), { headers })
      expect(await response.text()).toBe(TRACE)
      await fetch(at(service, '/internal/deed', 'inner'), {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
      })
      await fetch(at(service, '/readyz', 'inner'))
    })
    const ofTrace = spans.filter(({ traceId }) => traceId === TRACE)
    const server = ofTrace.find(({ name }) => name === 'GET /page/[id]')
    expect(server).toMatchObject({ service: 'portico-gateway', kind: 2, parentSpanId: PARENT })
    expect(server?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.path': '/page/7',
      'http.route': '/page/[id]',
      'http.response.status_code': 200,
    })
    const data = ofTrace.find(({ name }) => name === 'data')
    const phase = ofTrace.find(({ name }) => name === 'phase')
    expect([data?.parentSpanId, phase?.parentSpanId]).toEqual([server?.spanId, server?.spanId])
    expect((phase?.endMs ?? 0) - (phase?.startMs ?? 0)).toBe(25)
    // Code of the site uses only OpenTelemetry's API.
    expect(ofTrace.find(({ name }) => name === 'of the site')?.parentSpanId).toBe(data?.spanId)
    const clients = ofTrace.filter(({ kind }) => kind === 3)
    expect(clients.map(({ parentSpanId }) => parentSpanId)).toEqual([data?.spanId, data?.spanId])
    const [, byFetch, byGet, unseen] = requests
    for (const [index, request] of [byFetch, byGet].entries()) {
      expect(request?.headers.traceparent).toBe(`00-${TRACE}-${clients[index]?.spanId}-01`)
      expect(request?.headers.tracestate).toBe('vendor=1')
    }
    expect(unseen?.headers.traceparent).toBeUndefined()
    // The background work and the request without a trace began new traces; the probe did not.
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === '')
    expect(roots.map(({ attributes }) => attributes['url.path']).sort()).toEqual(['/internal/deed', '/untraced'])
  })

  it('O7 work behind a response is a span of the trace of its request', async () => {
    const spans = await whileTraced({}, async (service) => {
      await fetch(at(service, '/page/behind'))
    })
    const server = spans.find(({ attributes }) => attributes['url.path'] === '/page/behind')
    const behind = spans.find(({ name }) => name === 'after')
    expect(behind).toMatchObject({ traceId: server?.traceId, parentSpanId: server?.spanId })
    expect(requests[1]?.headers.traceparent).toContain(server?.traceId)
  })

  it('O7 records nothing of a trace that its sender does not record, and still passes its id on', async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-00` }
    const spans = await whileTraced({}, async (service) => {
      expect(await (await fetch(at(service, '/page/7'), { headers })).text()).toBe(TRACE)
    })
    expect(spans.filter(({ traceId }) => traceId === TRACE)).toEqual([])
    expect(requests[1]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  })

  it.each([
    [{ sampler: 'always_off' }, 0],
    [{ sampler: 'always_on' }, 1],
    [{ sampler: 'traceidratio', sampledRatio: 0 }, 0],
    [{ sampler: 'parentbased_always_off' }, 0],
    [{ sampler: 'parentbased_traceidratio', sampledRatio: 1 }, 1],
  ] as [Partial<TracingConfig>, number][])('O7 with %j a request exports %i spans', async (config, count) => {
    const spans = await whileTraced(config, async (service) => {
      await (await fetch(at(service, '/plain'))).text()
    })
    expect(spans).toHaveLength(count)
  })

  it('O7 has the name of the service, or OTEL_SERVICE_NAME', async () => {
    vi.stubEnv('OTEL_SERVICE_NAME', 'atlas-door')
    const spans = await whileTraced({}, async (service) => {
      await (await fetch(at(service, '/plain'))).text()
    })
    vi.stubEnv('OTEL_SERVICE_NAME', undefined)
    expect(spans.map(({ service }) => service)).toEqual(['atlas-door'])
  })
})
