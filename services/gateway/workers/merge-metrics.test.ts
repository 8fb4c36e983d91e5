import { createLog } from '@portico/shared/kit/observe/log.ts'
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { expect, it } from 'vitest'
import { mergeFigures } from '../control/gateway-status.ts'
import { createCounts, mergeMetrics } from './merge-metrics.ts'
import type { Snapshot } from './wire.ts'

async function metricsOf(value: number) {
  const registers = [new Registry()]
  new Counter({ name: 'requests_total', help: 'x', labelNames: ['by'], registers }).inc({ by: 'files' }, value)
  new Gauge({ name: 'entries', help: 'x', registers }).set(value)
  new Gauge({ name: 'confirmed', help: 'x', aggregator: 'min', registers }).set(value)
  new Gauge({ name: 'replicas', help: 'x', aggregator: 'max', registers }).set(value)
  new Histogram({ name: 'seconds', help: 'x', buckets: [2, 4], registers }).observe(value)
  return registers[0]!.getMetricsAsJSON()
}

const linesOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line))

it('O4 metrics of several processes merge by the rule of each', async () => {
  const merged = mergeMetrics([await metricsOf(1), await metricsOf(3)])
  expect(await linesOf(merged)).toEqual([
    'requests_total{by="files"} 4',
    'entries 4',
    'confirmed 1',
    'replicas 3',
    'seconds_bucket{le="2"} 1',
    'seconds_bucket{le="4"} 2',
    'seconds_bucket{le="+Inf"} 2',
    'seconds_sum 4',
    'seconds_count 2',
  ])
})

/** The metrics of a worker with one replica. */
async function snapshotOf(value: number): Promise<Snapshot> {
  const cache = { hit: 0, stale: 0, miss: 0, fallback: 0 }
  const counts = { renderer: { requests: { count: value, seconds: 0 }, failed: 0, cache } }
  const replicas = [{ service: 'renderer', name: '10.0.0.1:8080', state: 'ready', since: 0, inFlight: value }]
  return { metrics: await metricsOf(value), figures: { replicas, counts } }
}

function setUp(running: Snapshot[] = []) {
  const events: unknown[] = []
  const log = createLog('gateway', 'info', { write: (line) => void events.push(JSON.parse(line).event) })
  const members = running.map((snapshot) => ({ refresh: async () => {}, snapshot: () => snapshot }))
  return { counts: createCounts(() => members, log), events }
}

it('O4 of a process that has ended its counts remain, and no gauge and no replica', async () => {
  const { counts, events } = setUp([await snapshotOf(1)])
  counts.keep(await snapshotOf(1))
  counts.keep(undefined)
  counts.keep(await snapshotOf(3))
  const parts = await counts.read()
  const lines = await linesOf(mergeMetrics(parts.map(({ metrics }) => metrics)))
  expect(lines).toEqual(expect.arrayContaining(['requests_total{by="files"} 5', 'entries 1', 'seconds_count 3']))
  const { replicas, counts: sums } = mergeFigures(parts.map(({ figures }) => figures))
  expect([replicas.map(({ inFlight }) => inFlight), sums.renderer?.requests.count]).toEqual([[1], 5])
  expect(events).toEqual([])
})

it('O4 counts of a process that cannot be added are left out, and every later scrape has the others', async () => {
  const { counts, events } = setUp()
  const { metrics, figures } = await snapshotOf(2)
  // A rule that the client of Prometheus does not know.
  counts.keep({ metrics: metrics.map((each) => ({ ...each, aggregator: 'median' as 'sum' })), figures })
  counts.keep(await snapshotOf(1))
  counts.keep(await snapshotOf(3))
  for (let scrape = 0; scrape < 2; scrape++) {
    const parts = await counts.read()
    expect(await linesOf(mergeMetrics(parts.map(({ metrics }) => metrics)))).toContain('requests_total{by="files"} 4')
  }
  expect(events).toEqual(['worker-counts-lost'])
})
