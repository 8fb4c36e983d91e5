// Requests at a steady pace, whatever the answers take, and what their times tell.

export interface Pace {
  perSecond: number
  count: number
}

/** Calls `one` with 0, 1, 2 … at its due time; resolves when all are done. Late answers delay no other (open loop). */
export async function steadily({ perSecond, count }: Pace, one: (at: number) => Promise<void>): Promise<void> {
  const started = performance.now()
  const all: Promise<void>[] = []
  for (let at = 0; at < count; at++) {
    const waitMs = started + (at * 1000) / perSecond - performance.now()
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs))
    all.push(one(at))
  }
  await Promise.all(all)
}

/** The smallest value that this share of all values does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Milliseconds in words. */
export function describeTimes(values: number[]): string {
  const [half, most] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(1).padStart(5))
  return `p50 ${half} ms, p99 ${most} ms`
}
