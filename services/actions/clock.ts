// The clock of all parts of this service; tests use a fake clock.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after the time, or immediately when the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` after the time unless the returned function is called first: for limits that are seldom reached. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
  sleep(milliseconds, signal) {
    return new Promise((done) => {
      if (signal?.aborted) return done()
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        done()
      }
      const timer = setTimeout(finish, milliseconds)
      signal?.addEventListener('abort', finish, { once: true })
    })
  },
}
