// Metrics of this service: requests by kind and status, and their duration (O7); records of submissions that were
// stored, dropped and refused (A5).

import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import { BUDGETS, type StoreEvents } from './store/store.ts'

export type ActionsMetrics = ReturnType<typeof createActionsMetrics>

export function createActionsMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'portico_actions_requests_total',
    help: 'Requests of the actions service by kind and status.',
    labelNames: ['kind', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'portico_actions_request_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  return {
    observe(kind: 'action' | 'api', status: number, seconds: number): void {
      requests.inc({ kind, status: String(status) })
      duration.observe({ kind }, seconds)
    },
  }
}

export function createSubmissionMetrics(registry: Registry) {
  const registers = [registry]
  const kept = new Counter({
    name: 'portico_submissions_kept_total',
    help: 'Rows and bodies (responses) of submissions that were kept.',
    labelNames: ['part'],
    registers,
  })
  const dropped = new Counter({
    name: 'portico_submissions_dropped_total',
    help: 'Rows and bodies of submissions dropped before their time, by the budget that was exceeded.',
    labelNames: ['part', 'reason'],
    registers,
  })
  const refused = new Counter({
    name: 'portico_submissions_refused_total',
    help: 'Submissions refused with 503 because their record had no room.',
    registers,
  })
  const bytes = new Gauge({
    name: 'portico_submissions_bytes',
    help: 'Bytes that the records of submissions count for; with Redis of all replicas together.',
    registers,
  })
  new Gauge({
    name: 'portico_submissions_limit_bytes',
    help: 'Budget for the records of submissions: above it the oldest are dropped.',
    registers,
  }).set(BUDGETS.total)
  const storeEvents: StoreEvents = {
    onKept: (part) => kept.inc({ part }),
    onDropped: (part, reason) => dropped.inc({ part, reason }),
  }
  return {
    ...storeEvents,
    /** A submission was refused because there was no room for its record. */
    onRefused: () => refused.inc(),
    /** The counted bytes of all records. */
    onUsage: (held: number) => bytes.set(held),
  }
}
