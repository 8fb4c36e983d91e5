// A service's Prometheus registry with the process's default metrics.

import { collectDefaultMetrics, Registry } from 'prom-client'

/** Each service has its own registry, so that tests can run several services in one process. */
export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, prefix: 'portico_' })
  return registry
}
