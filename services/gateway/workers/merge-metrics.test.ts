import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { countsOf, mergeMetrics } from './merge-metrics.ts'

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

it('O4 of a process that has ended its counts remain, and no gauge', async () => {
  const counts = await countsOf([await metricsOf(1), await metricsOf(3)])
  expect(counts.map(({ name }) => name)).toEqual(['requests_total', 'seconds'])
  expect(await linesOf(mergeMetrics([counts, await metricsOf(1)]))).toContain('requests_total{by="files"} 5')
})
