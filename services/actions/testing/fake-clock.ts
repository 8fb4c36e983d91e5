// A clock that changes only when a test advances it.

import type { Clock } from '../clock.ts'

export interface FakeClock extends Clock {
  /** Advances the clock; wakes sleepers in order, with a turn of the event loop between two sleepers. */
  advance(milliseconds: number): Promise<void>
}

export function createFakeClock(start = 1_000_000): FakeClock {
  let now = start
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep(milliseconds, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((done) => {
        const sleeper = { at: now + milliseconds, wake: done }
        const leave = () => {
          sleepers.delete(sleeper)
          done()
        }
        signal?.addEventListener('abort', leave, { once: true })
        sleepers.add(sleeper)
      })
    },
    after(milliseconds, run) {
      const sleeper = { at: now + milliseconds, wake: run }
      sleepers.add(sleeper)
      return () => sleepers.delete(sleeper)
    },
    async advance(milliseconds) {
      const end = now + milliseconds
      await turn()
      for (;;) {
        const next = [...sleepers].sort((a, b) => a.at - b.at)[0]
        if (!next || next.at > end) break
        now = Math.max(now, next.at)
        sleepers.delete(next)
        next.wake()
        await turn()
      }
      now = end
      await turn()
    },
  }
}

function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}
