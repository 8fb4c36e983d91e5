// Figures of the stack as /status shows them: rates between two readings, and sums since the gateway started.

import type { StackStatus } from 'portico/server'

/** Reads an event's text; undefined for anything but a status. */
export function parseStatus(text: string): StackStatus | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Our own API wrote it; the rest of its shape is that of the same build.
    return typeof value === 'object' && value && 'services' in value ? (value as StackStatus) : undefined
  } catch {
    return undefined
  }
}

/** One summary per service. Only readings of one gateway are compared: another one counts from another start. */
export function summariesOf(now: StackStatus, before?: StackStatus) {
  const seconds = before?.gateway === now.gateway ? (now.at - before.at) / 1000 : 0
  return now.services.map(({ name, replicas, requests, failed, cache }) => {
    const earlier = seconds > 0 ? before?.services.find((service) => service.name === name) : undefined
    const recent = requests.count - (earlier?.requests.count ?? 0)
    const responses = cache.hit + cache.stale + cache.miss + cache.fallback
    return {
      name,
      replicas,
      failed,
      count: requests.count,
      /** Undefined without an earlier reading. */
      perSecond: earlier && recent / seconds,
      /** Of the requests since the earlier reading; undefined when there were none. */
      averageMs: recent > 0 ? (1000 * (requests.seconds - (earlier?.requests.seconds ?? 0))) / recent : undefined,
      isFailing: earlier !== undefined && failed > earlier.failed,
      /** Share of responses from the cache, 0 to 1; undefined for a service without one. */
      hitShare: responses > 0 ? (cache.hit + cache.stale) / responses : undefined,
    }
  })
}
