// A service's Prometheus registry with the process's default metrics and its build, and those of its invalidation feed.

import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client'
import { PORTICO_VERSION } from '../../wire/constants.ts'
import { addRedisTimes } from './redis-times.ts'

const START_TIME = 'process_start_time_seconds'
/** The longest time of a timer. */
const NEVER_MS = 2 ** 31 - 1

/**
 * Each service has its own registry, so that tests can run several services in one process. `process_*` and `nodejs_*`
 * have the names that dashboards for Node.js expect. `build`: id of the build that the process serves.
 */
export function createMetrics(service: string, build: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  // The use of the event loop is not printed: its delay shows the same, and costs a process at rest no timer.
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: NEVER_MS })
  for (const kind of ['summary', 'histogram']) registry.removeSingleMetric(`nodejs_eventloop_utilization_${kind}`)
  addRedisTimes(registry)
  // The default one leaves out processes that serve together; of these the first has started the others.
  registry.removeSingleMetric(START_TIME)
  new Gauge({
    name: START_TIME,
    help: 'Start time of the process since unix epoch in seconds.',
    aggregator: 'min',
    registers: [registry],
  }).set(Math.floor(performance.timeOrigin / 1000))
  new Gauge({
    name: 'portico_build_info',
    help: '1, with the version of Portico and the build that the process serves.',
    aggregator: 'first',
    labelNames: ['version', 'build'],
    registers: [registry],
  }).set({ version: PORTICO_VERSION, build }, 1)
  return registry
}

/** Registers what a process that keeps tagged data knows of the state store's marks (C5). */
export function addFeedMetrics(registry: Registry, feed: { isConfirmed(): boolean; marksLost(): number }): void {
  const registers = [registry]
  new Gauge({
    name: 'portico_feed_confirmed',
    help: '1 while the marks of the state store are known, 0 while kept data is not used without a request.',
    aggregator: 'min',
    registers,
    collect() {
      this.set(feed.isConfirmed() ? 1 : 0)
    },
  })
  new Counter({
    name: 'portico_feed_marks_lost_total',
    help: 'Times at which the state store had lost marks, so that all kept data was dropped.',
    // Each worker of a gateway notices the same loss.
    aggregator: 'max',
    registers,
    collect() {
      this.reset()
      this.inc(feed.marksLost())
    },
  })
}
