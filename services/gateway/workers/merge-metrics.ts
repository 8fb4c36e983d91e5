// The metrics of all processes of a gateway as those of one. Each metric names its rule (`aggregator` of prom-client): counters,
// histograms and most gauges add up.

import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Metrics } from './wire.ts'

export function mergeMetrics(parts: readonly Metrics[]): Registry {
  return AggregatorRegistry.aggregate([...parts])
}

/** What remains of the metrics of processes that have ended: a sum that falls would look like a restart of all. */
export async function countsOf(parts: readonly Metrics[]): Promise<Metrics> {
  const merged = await mergeMetrics(parts).getMetricsAsJSON()
  // prom-client writes the names of types, which its declarations call numbers.
  return merged.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
