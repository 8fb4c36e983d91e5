// What operators see of this service: requests by kind and status, and how long they took (O7).

import { Counter, Histogram, type Registry } from 'prom-client'

export interface ActionsMetrics {
  observe(kind: 'action' | 'api', status: number, seconds: number): void
}

export function createActionsMetrics(registry: Registry): ActionsMetrics {
  const requests = new Counter({
    name: 'portico_actions_requests_total',
    help: 'Requests of the actions service by kind and status.',
    labelNames: ['kind', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'portico_actions_request_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  return {
    observe(kind, status, seconds) {
      requests.inc({ kind, status: String(status) })
      duration.observe({ kind }, seconds)
    },
  }
}
