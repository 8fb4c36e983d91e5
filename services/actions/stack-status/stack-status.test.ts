// Figures of a stack of real inner ports, read like in the actions service.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { STACK_SERVICES, type StackStatus } from '../../shared/wire/stack-status.ts'
import { startApi } from '../testing/start-api.ts'
import { createCounters, FORGET_AFTER_MS } from './counters.ts'
import { parseSamples } from './prometheus-text.ts'
import { readReplicas } from './read-replica.ts'
import { createStackStatus, READ_INTERVAL_MS } from './stack-status.ts'

const servers: Server[] = []
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise<void>((done) => {
          server.close(() => done())
          server.closeAllConnections()
        }),
    ),
  )
})

/** The figures of one replica under the names that the services use. */
function createReplica() {
  const registry = new Registry()
  const registers = [registry]
  const counter = (name: string, labelNames: string[] = []) => new Counter({ name, help: 'x', labelNames, registers })
  return {
    registry,
    isReady: true,
    reads: 0,
    cpu: counter('portico_process_cpu_seconds_total'),
    memory: new Gauge({ name: 'portico_process_resident_memory_bytes', help: 'x', registers }),
    waiting: new Gauge({ name: 'portico_images_queue_waiting', help: 'x', registers }),
    answers: counter('portico_images_answers_total', ['outcome']),
    pages: counter('portico_page_cache_total', ['verdict']),
    phases: new Histogram({
      name: 'portico_images_phase_seconds',
      help: 'x',
      labelNames: ['phase'],
      buckets: [0.1, 1],
      registers,
    }),
    requests: new Histogram({
      name: 'portico_gateway_request_seconds',
      help: 'x',
      labelNames: ['upstream', 'status'],
      buckets: [0.01, 0.1],
      registers,
    }),
  }
}
type FakeReplica = ReturnType<typeof createReplica>

/** The inner port of a replica at its own loopback address. */
async function serve(replica: () => FakeReplica, address: string, port = 0): Promise<number> {
  const server = createServer(async (request, response) => {
    if (request.url === '/readyz') return void response.writeHead(replica().isReady ? 200 : 503).end()
    replica().reads++
    response.end(await replica().registry.metrics())
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(port, address, () => done()))
  // A TCP server that listens has an AddressInfo.
  return (server.address() as AddressInfo).port
}

/** A stack in which every service is the replicas at the addresses. */
function startStatus(port: number, addresses: () => string[], now: () => number) {
  const url = new URL(`http://replicas.test:${port}`)
  return createStackStatus({
    addresses: { gateway: url, renderer: url, images: url, actions: url },
    buildId: () => 'build0',
    now,
    read: (innerUrl, wants) => readReplicas(innerUrl, wants, async () => addresses()),
  })
}

const serviceOf = (status: StackStatus, name: string) => status.services.find((service) => service.name === name)

describe('the figures of the stack', () => {
  it('O4 sums replicas by service, with states, times and the queue', async () => {
    const [one, two] = [createReplica(), createReplica()]
    two.isReady = false
    const port = await serve(() => one, '127.0.0.1')
    await serve(() => two, '127.0.0.2', port)
    for (const replica of [one, two]) {
      replica.cpu.inc(1.5)
      replica.memory.set(1000)
      replica.waiting.set(2)
      replica.answers.inc({ outcome: 'HIT' }, 3)
      replica.answers.inc({ outcome: '503' })
      replica.pages.inc({ verdict: 'HIT' }, 4)
      replica.pages.inc({ verdict: 'MISS' })
      replica.phases.observe({ phase: 'encode' }, 0.05)
      replica.phases.observe({ phase: 'fetch' }, 5)
      replica.requests.observe({ upstream: 'renderer', status: '2xx' }, 0.05)
      replica.requests.observe({ upstream: 'files', status: '5xx' }, 0.005)
    }
    const status = await startStatus(port, () => ['127.0.0.1', '127.0.0.2'], performance.now.bind(performance))()
    expect(status.buildId).toBe('build0')
    expect(status.services.map(({ name }) => name)).toEqual(STACK_SERVICES)
    expect(serviceOf(status, 'renderer')).toEqual({
      name: 'renderer',
      replicas: { known: 2, ready: 1 },
      requests: { count: 2, sum: 0.1, bounds: [0.01, 0.1], atMost: [0, 2] },
      failed: 0,
      cpuSeconds: 3,
      memoryBytes: 2000,
    })
    expect(serviceOf(status, 'gateway')).toMatchObject({ requests: { count: 4, atMost: [2, 4] }, failed: 2 })
    expect(status.images.answers).toEqual({ hit: 6, stale: 0, miss: 0, fallback: 0, failed: 2 })
    expect(status.pages.answers).toEqual({ hit: 8, stale: 0, miss: 2, fallback: 0 })
    expect(status.images.encode).toMatchObject({ count: 2, bounds: [0.1, 1], atMost: [2, 2] })
    expect(status.images.queue).toEqual({ waiting: 4, running: 0 })
  })

  it('O9 reveals no address, port or machine name', async () => {
    const replica = createReplica()
    replica.requests.observe({ upstream: 'renderer', status: '2xx' }, 0.05)
    const port = await serve(() => replica, '127.0.0.1')
    const text = JSON.stringify(
      await startStatus(
        port,
        () => ['127.0.0.1'],
        () => 0,
      )(),
    )
    expect(text).not.toContain('127.0.0.1')
    expect(text).not.toContain(String(port))
    expect(text).not.toContain('replicas.test')
  })

  it('O4 counts a replica that does not respond as known and not ready', async () => {
    const port = await serve(createReplica, '127.0.0.1')
    const status = await startStatus(
      port,
      () => ['127.0.0.1', '127.0.0.3'],
      () => 0,
    )()
    expect(serviceOf(status, 'images')?.replicas).toEqual({ known: 2, ready: 1 })
  })

  it('O4 reads the services once a second at most, for any number of requests', async () => {
    let now = 0
    const replica = createReplica()
    const port = await serve(() => replica, '127.0.0.1')
    const status = startStatus(
      port,
      () => ['127.0.0.1'],
      () => now,
    )
    await Promise.all(Array.from({ length: 20 }, status))
    now = READ_INTERVAL_MS - 1
    await status()
    expect(replica.reads).toBe(STACK_SERVICES.length)
    now = READ_INTERVAL_MS
    await status()
    expect(replica.reads).toBe(2 * STACK_SERVICES.length)
  })

  it('O7 shares a running reading: two simultaneous readings could count a replica twice', async () => {
    const url = new URL('http://replicas.test:9')
    let now = 0
    let reads = 0
    let respond: () => void = () => {}
    const responded = new Promise<void>((done) => {
      respond = done
    })
    const status = createStackStatus({
      addresses: { gateway: url, renderer: url, images: url, actions: url },
      buildId: () => 'build0',
      now: () => now,
      async read() {
        reads++
        await responded
        return []
      },
    })
    const first = status()
    now = 10 * READ_INTERVAL_MS
    const second = status()
    respond()
    expect(await second).toBe(await first)
    expect(reads).toBe(STACK_SERVICES.length)
  })

  it('O4 is available to an API handler, and is undefined when switched off', async () => {
    const service = await startApi(async (_request, response) => {
      const { currentContext } = await import('../testing/start-actions.ts')
      response.json({ status: (await currentContext().stackStatus?.()) ?? null })
    })
    expect(await (await fetch(`${service.url}/api/x`)).json()).toEqual({ status: null })
    await service.stop()
  })
})

describe('the counters of many replicas', () => {
  const sample = (value: number) => [{ name: 'n', labels: {}, value }]

  it('O7 only grow: over a restart, a replica that leaves, and one that comes back', () => {
    let now = 0
    const counters = createCounters(() => now)
    const sum = () => counters.sum('images', 'n')
    counters.add('images', 'a', sample(100))
    counters.add('images', 'b', sample(10))
    expect(sum()).toBe(110)
    counters.add('images', 'a', sample(3))
    expect(sum()).toBe(113)
    now = FORGET_AFTER_MS
    counters.add('images', 'a', sample(4))
    expect(sum()).toBe(114)
    counters.add('images', 'b', sample(12))
    expect(sum()).toBe(116)
  })

  it('O7 keep services and labels apart', () => {
    const counters = createCounters(() => 0)
    counters.add('images', 'a', [
      { name: 'n', labels: { k: 'x' }, value: 1 },
      { name: 'n', labels: { k: 'y' }, value: 2 },
    ])
    counters.add('actions', 'a', sample(7))
    expect([
      counters.sum('images', 'n'),
      counters.sum('images', 'n', { k: 'y' }),
      counters.sum('actions', 'n'),
    ]).toEqual([3, 2, 7])
  })
})

it('O7 parses the Prometheus text format, including quoted labels', () => {
  const text = [
    '# HELP a x',
    'a 1',
    'a{b="c",d="say \\"hi\\"\\\\ {x}"} 2.5e3 1700000000',
    'other 3',
    'a{b="x"} NaN',
    'rubbish',
    '',
  ].join('\n')
  expect(parseSamples(text, (name) => name === 'a')).toEqual([
    { name: 'a', labels: {}, value: 1 },
    { name: 'a', labels: { b: 'c', d: 'say "hi"\\ {x}' }, value: 2500 },
  ])
})
