// The document at /status of a gateway's inner port, and which part of it may be sent out of the inner network.

import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { startService } from '@portico/shared/kit/life/serve.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { Registry } from '@prometheus-io/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createGatewayMetrics, type GatewayMetrics } from '../metrics.ts'
import { createReplicasByService, type ReplicasByService } from '../replicas/replicas-by-service.ts'
import { createGatewayStatus, createServingFigures, mergeFigures } from './gateway-status.ts'

type GatewayStatus = Awaited<ReturnType<ReturnType<typeof createGatewayStatus>>>

const log = createLog('gateway', 'silent')
const url = new URL('http://service.test:8080')
const innerUrl = new URL('http://service.test:9090')
let now: number
let probes: Record<string, ProbeResult>
let replicas: ReplicasByService
let metrics: GatewayMetrics

beforeEach(async () => {
  now = 1000
  probes = { '10.0.0.1': 'ready', '10.0.0.2': 'not-ready' }
  const address = [{ url, innerUrl }]
  replicas = createReplicasByService({ renderer: address, images: address, actions: address }, log, {
    lookup: async () => Object.keys(probes),
    probe: async (name) => ({ result: probes[name] ?? 'failed', ...(name === '10.0.0.1' && { version: 'b1.e1' }) }),
    now: () => now,
  })
  metrics = createGatewayMetrics(new Registry(), replicas)
  await replicas.start()
})
afterEach(() => replicas.close())

const createStatus = () => createGatewayStatus(createServingFigures(replicas, metrics), () => 'build0')
const serviceOf = ({ status }: GatewayStatus, name: string) => status.services.find((service) => service.name === name)

it('O4 reports replicas, requests, durations, failures and cache verdicts of every service', async () => {
  metrics.responded('renderer', 200, 20, 'HIT')
  metrics.responded('renderer', 503, 200)
  metrics.responded('renderer', 200, 20, 'MISS', 'HIT')
  metrics.responded('cache', 200, 1, 'HIT')
  metrics.responded('cache', 200, 1, 'STALE')
  metrics.responded('images', 200, 4, 'MISS')
  metrics.responded('images', 503, 4, '503')
  metrics.responded('files', 500, 1)
  const document = await createStatus()([])
  expect(document.status).toMatchObject({ gateway: expect.stringMatching(/^[0-9a-f]{8}$/), buildId: 'build0' })
  expect(document.status.services.map(({ name }) => name)).toEqual(['gateway', 'renderer', 'images', 'actions'])
  const renderer = serviceOf(document, 'renderer')
  expect(renderer).toMatchObject({
    replicas: { known: 2, ready: 1 },
    requests: { count: 3 },
    failed: 1,
    cache: { hit: 2, stale: 0, miss: 0, fallback: 0 },
  })
  expect(renderer?.requests.seconds).toBeCloseTo(0.24)
  expect(serviceOf(document, 'images')).toMatchObject({ failed: 1, cache: { hit: 0, miss: 1 } })
  expect(serviceOf(document, 'gateway')).toMatchObject({
    replicas: { known: 1, ready: 1 },
    requests: { count: 8 },
    failed: 3,
    cache: { hit: 1, stale: 1, miss: 1, fallback: 0 },
  })
})

it('O4 reports the state of each replica and the time of its last change', async () => {
  const read = createStatus()
  const sinceOf = async () =>
    (await read([])).replicas.flatMap(({ service, name, state, since }) =>
      service === 'images' ? [{ name, state, since: since - Math.round(performance.timeOrigin) }] : [],
    )
  expect(await sinceOf()).toEqual([
    { name: '10.0.0.1:8080', state: 'ready', since: 1000 },
    { name: '10.0.0.2:8080', state: 'not-ready', since: 1000 },
  ])
  now = 5000
  const failing = replicas.of('images').list()[0]
  if (failing) replicas.of('images').failed(failing, 'refused')
  expect((await sinceOf())[0]).toEqual({ name: '10.0.0.1:8080', state: 'resting', since: 5000 })
})

it('C2 reports the version of each replica that has one', async () => {
  const { replicas } = await createStatus()([])
  expect(replicas.flatMap(({ service, version }) => (service === 'renderer' ? [version] : []))).toEqual([
    'b1.e1',
    undefined,
  ])
})

it('O4 adds up what several processes counted, and a replica is ready only if all of them say so', async () => {
  metrics.responded('renderer', 200, 20, 'HIT')
  const read = createServingFigures(replicas, metrics)
  const one = await read()
  metrics.responded('renderer', 503, 200)
  const failing = replicas.of('renderer').list()[0]
  if (failing) replicas.of('renderer').failed(failing, 'refused')
  const other = await read()
  const document = await createGatewayStatus(
    async () => mergeFigures([one, other]),
    () => 'build0',
  )([])
  expect(serviceOf(document, 'renderer')).toMatchObject({
    replicas: { known: 2, ready: 0 },
    requests: { count: 3 },
    failed: 1,
    cache: { hit: 2 },
  })
  expect(serviceOf(document, 'images')?.replicas).toEqual({ known: 2, ready: 1 })
})

it('O9 the part for pages holds no address, port or name of a machine', async () => {
  const { status, host } = await createStatus()([])
  const text = JSON.stringify(status)
  for (const secret of ['10.0.0.', '8080', 'service.test', host]) expect(text).not.toContain(secret)
})

it('O4 is served only by the inner port, and reports whether the gateway is ready', async () => {
  let waiting = ['files are not published yet']
  const service = await startService({
    log,
    listeners: [{ name: 'public', host: '127.0.0.1', port: 0, handler: (_request, response) => response.end('page') }],
    inner: { host: '127.0.0.1', port: 0, status: createStatus() },
    notReady: () => waiting,
    drain: { delayMs: 0, deadlineMs: 100 },
  })
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${service.ports.inner}/status`)
    expect(response.headers.get('cache-control')).toBe('no-store')
    return serviceOf((await response.json()) as GatewayStatus, 'gateway')?.replicas
  }
  expect(await read()).toEqual({ known: 1, ready: 0 })
  waiting = []
  expect(await read()).toEqual({ known: 1, ready: 1 })
  expect(await (await fetch(`http://127.0.0.1:${service.ports.public}/status`)).text()).toBe('page')
  await service.stop()
})
