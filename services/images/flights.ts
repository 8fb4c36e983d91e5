// Work in progress by name: whoever asks for the same thing joins, and what nobody waits for any more is aborted (I6, I7).

import type { Urgency, WorkClass } from './encoding/queue.ts'

export interface Flights<T> {
  /**
   * Joins the flight of that key or starts one. Rejects with the signal's reason when this waiter leaves; the work
   * goes on while others wait and is aborted when the last one has left, if it is not committed by then.
   */
  join(key: string, options: JoinOptions, work: (flight: FlightContext) => Promise<T>): Promise<T>
  has(key: string): boolean
  readonly size: number
}

export interface JoinOptions {
  signal: AbortSignal
  class: WorkClass
}

export interface FlightContext {
  /** Aborts when the last waiter has left. */
  signal: AbortSignal
  /** The most urgent class of all who wait. */
  urgency: Urgency
  /** From here on the work ends by itself, though every waiter leaves, and newcomers join it still. */
  commit(): void
}

interface Flight<T> extends FlightContext {
  promise: Promise<T>
  waiters: number
  progress: { isCommitted: boolean }
  controller: AbortController
}

const RANK: Record<WorkClass, number> = { viewer: 0, refresh: 1, 'warm-up': 2 }

/** Reason of the abort when the last waiter has left. */
class NobodyWaitsError extends Error {
  override name = 'NobodyWaitsError'
}

/** An empty set of flights. */
export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>()

  const start = (key: string, workClass: WorkClass, work: (flight: FlightContext) => Promise<T>): Flight<T> => {
    const controller = new AbortController()
    const progress = { isCommitted: false }
    const context: FlightContext = {
      signal: controller.signal,
      urgency: { class: workClass },
      commit: () => {
        progress.isCommitted = true
      },
    }
    const promise = work(context).finally(() => {
      if (flights.get(key) === flight) flights.delete(key)
    })
    // A flight whose waiters have all left may still reject; each waiter has its own rejection.
    promise.catch(() => {})
    const flight: Flight<T> = { ...context, promise, waiters: 0, progress, controller }
    flights.set(key, flight)
    return flight
  }

  return {
    async join(key, { signal, class: workClass }, work) {
      signal.throwIfAborted()
      const flight = flights.get(key) ?? start(key, workClass, work)
      if (RANK[workClass] < RANK[flight.urgency.class]) flight.urgency.class = workClass
      flight.waiters++
      let leave: (() => void) | undefined
      const left = new Promise<never>((_, failed) => {
        leave = () => failed(signal.reason)
        signal.addEventListener('abort', leave, { once: true })
      })
      try {
        return await Promise.race([flight.promise, left])
      } finally {
        if (leave) signal.removeEventListener('abort', leave)
        flight.waiters--
        if (flight.waiters === 0 && !flight.progress.isCommitted && flights.get(key) === flight) {
          // A newcomer must not join work that is being abandoned.
          flights.delete(key)
          flight.controller.abort(new NobodyWaitsError('nobody waits for this work'))
        }
      }
    },
    has: (key) => flights.has(key),
    get size() {
      return flights.size
    },
  }
}
