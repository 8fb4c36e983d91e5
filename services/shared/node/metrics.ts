// A service's Prometheus registry with the process's own figures.

import { collectDefaultMetrics, Registry } from 'prom-client'

/** A registry of its own per service, so that tests can hold several in one process. */
export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, prefix: 'portico_' })
  return registry
}
