// Time as the parts of this service see it; tests give them a clock that only moves when told.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after the time, or at once when the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
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
