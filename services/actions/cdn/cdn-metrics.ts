// Metrics of purges at a CDN (C6).

import { Counter, Gauge, type Registry } from '@prometheus-io/client'

export interface CdnMetrics {
  queued(names: number): void
  sent(): void
  failed(): void
}

export function createCdnMetrics(registry: Registry): CdnMetrics {
  const registers = [registry]
  const queue = new Gauge({
    name: 'portico_cdn_purge_queued',
    help: 'Paths and tags that are out of date and not yet purged at the CDN, as of the last attempt of this replica.',
    registers,
  })
  const requests = new Counter({
    name: 'portico_cdn_purges_total',
    help: 'Requests to CDN_PURGE_URL by result.',
    labelNames: ['result'],
    registers,
  })
  // rate() would not count the first failure.
  for (const result of ['sent', 'failed']) requests.inc({ result }, 0)
  return {
    queued: (names) => queue.set(names),
    sent: () => requests.inc({ result: 'sent' }),
    failed: () => requests.inc({ result: 'failed' }),
  }
}
