// Figures of the stack as /status shows them: rates between two readings, and shares since the first one.

import type { Distribution, StackStatus } from 'portico/server'

export type { Distribution, StackStatus } from 'portico/server'

/** One moment of one service. */
export interface ServicePoint {
  perSecond: number
  /** Requests answered 5xx, per second. */
  failedPerSecond: number
  /** Time that 95 of 100 requests stayed within; undefined when there were none. */
  p95Ms: number | undefined
  /** Processors in use: 1 is one of them, busy all the time. */
  processors: number
}

/** One moment of the stack: what happened since the reading before. */
export interface StatusPoint {
  at: number
  services: Record<string, ServicePoint>
  /** Share of picture requests answered from the cache, 0 to 1; undefined when there were none. */
  hitShare: number | undefined
  encode: { p50Ms: number | undefined; p95Ms: number | undefined }
  queue: { waiting: number; running: number }
}

/** Points kept for charts: two minutes at one reading every two seconds. */
export const POINTS_LIMIT = 60

/** Reads an event's text; undefined for anything but a status. */
export function parseStatus(text: string): StackStatus | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const status = value as Partial<StackStatus> | null
  const isStatus =
    typeof status === 'object' &&
    status !== null &&
    typeof status.at === 'number' &&
    Array.isArray(status.services) &&
    typeof status.images === 'object'
  // Our own API made it; the rest of its shape is that of the same build.
  return isStatus ? (status as StackStatus) : undefined
}

/** What happened between two readings. */
export function pointBetween(before: StackStatus, now: StackStatus): StatusPoint {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000)
  const services = now.services.map((service) => {
    const earlier = before.services.find(({ name }) => name === service.name) ?? service
    const requests = differenceOf(service.requests, earlier.requests)
    const point: ServicePoint = {
      perSecond: requests.count / seconds,
      failedPerSecond: Math.max(0, service.failed - earlier.failed) / seconds,
      p95Ms: quantileMs(requests, 0.95),
      processors: Math.max(0, service.cpuSeconds - earlier.cpuSeconds) / seconds,
    }
    return [service.name, point] as const
  })
  const encode = differenceOf(now.images.encode, before.images.encode)
  return {
    at: now.at,
    services: Object.fromEntries(services),
    hitShare: hitShareOf(now, before),
    encode: { p50Ms: quantileMs(encode, 0.5), p95Ms: quantileMs(encode, 0.95) },
    queue: now.images.queue,
  }
}

/** Share of picture requests answered from the cache since `before`, or since figures began. */
export function hitShareOf(now: StackStatus, before?: StackStatus): number | undefined {
  const total = (status: StackStatus | undefined) =>
    status ? Object.values(status.images.answers).reduce((sum, count) => sum + count, 0) : 0
  const hits = (status: StackStatus | undefined) =>
    status ? status.images.answers.hit + status.images.answers.stale : 0
  const answers = total(now) - total(before)
  return answers > 0 ? (hits(now) - hits(before)) / answers : undefined
}

/** Share of requests for shared pages that the page cache answered, since figures began. */
export function pageHitShareOf({ pages }: StackStatus): number | undefined {
  const { hit, stale, miss, fallback } = pages.answers
  const answers = hit + stale + miss + fallback
  return answers > 0 ? (hit + stale) / answers : undefined
}

/** The time that a share of the observations stayed within, in milliseconds; undefined when there were none. */
export function quantileMs({ count, bounds, atMost }: Distribution, share: number): number | undefined {
  if (count <= 0) return undefined
  const wanted = count * share
  const index = atMost.findIndex((each) => each >= wanted)
  // Above the highest bound: that much is known.
  if (index < 0) return (bounds.at(-1) ?? 0) * 1000
  const low = bounds[index - 1] ?? 0
  const below = atMost[index - 1] ?? 0
  const inside = (atMost[index] ?? 0) - below
  const high = bounds[index] ?? 0
  return (low + (inside > 0 ? ((high - low) * (wanted - below)) / inside : 0)) * 1000
}

/** Counts of another replica of the actions service may be smaller: never below zero. */
function differenceOf(now: Distribution, before: Distribution): Distribution {
  return {
    count: Math.max(0, now.count - before.count),
    sum: Math.max(0, now.sum - before.sum),
    bounds: now.bounds,
    atMost: now.atMost.map((count, index) => Math.max(0, count - (before.atMost[index] ?? 0))),
  }
}
