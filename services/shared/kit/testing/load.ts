// Load that runs while a test changes something: what was done, what failed, and the longest time without a success.

/** Longest wait of a load for its first connection to Redis. */
export const CONNECT_LIMIT_MS = 10_000

/** Counts successes, and the longest time without one. */
export function createGauge() {
  let last = performance.now()
  const figures = { done: 0, failed: 0, longestGapMs: 0 }
  const measureGap = () => {
    figures.longestGapMs = Math.max(figures.longestGapMs, Math.round(performance.now() - last))
  }
  return {
    note(isDone: boolean) {
      if (!isDone) {
        figures.failed++
        return
      }
      figures.done++
      measureGap()
      last = performance.now()
    },
    /** The time since the last success counts, too. */
    read() {
      measureGap()
      return { ...figures }
    },
  }
}

/** Calls `turn` again until the load is stopped, `count` at the same time. */
export function createTurns(count: number, turn: (isStopped: () => boolean) => Promise<unknown>) {
  let isStopped = false
  const runs = Array.from({ length: count }, async () => {
    while (!isStopped) await turn(() => isStopped)
  })
  return async () => {
    isStopped = true
    await Promise.all(runs)
  }
}
