// Requests that wait for a first ready replica (G2, E7): bounded in number and time, in the order of their arrival. Clients
// share the places.

import { FIRST_READY_WAIT_MS, FIRST_READY_WAITERS } from '@portico/shared/wire/constants.ts'
import { addItem, createFairShare, removeItem } from './bodies/fair-share.ts'

/** Interval of look-ups and probes while requests wait. */
const TICK_MS = 100

interface ReadyQueueDeps<T> {
  /** Sends the request if a usable replica has a free slot. Returns whether the request was sent. */
  tryNow: (item: T) => boolean
  /** The replicas for which the request waits: they are looked up and probed again at each tick. */
  sourceOf: (item: T) => { hurry(): void }
  /** The network that the client owns, as of network-of.ts. */
  networkOf: (item: T) => string
  /** No replica was ready in time. */
  onTimeout: (item: T) => void
  /** A request of another client took the place. */
  onDisplaced: (item: T) => void
  isDraining: () => boolean
  waitMs?: number
  most?: number
  now?: () => number
}

export interface ReadyQueue<T> {
  /**
   * False: too many requests wait already, and no other client has more of them. `since`: when the request began to wait, if it
   * waits again.
   */
  wait(item: T, since?: number): boolean
  /** The request no longer waits. */
  remove(item: T): void
}

export function createReadyQueue<T>(deps: ReadyQueueDeps<T>): ReadyQueue<T> {
  const { tryNow, sourceOf, networkOf, onTimeout, onDisplaced, isDraining } = deps
  const { waitMs = FIRST_READY_WAIT_MS, most = FIRST_READY_WAITERS, now = () => performance.now() } = deps
  /** In the order of arrival, with the time since which each request waits. */
  const waiting = new Map<T, number>()
  // SECURITY: without shares a few clients could hold all places while a replica starts, and no other client could wait.
  const places = createFairShare<T>(most)
  let timer: NodeJS.Timeout | undefined

  const remove = (item: T) => {
    if (waiting.delete(item)) removeItem(places, networkOf(item), item)
  }

  const tick = () => {
    const isLast = isDraining()
    for (const [item, since] of [...waiting]) {
      // Sending one request may have removed another one.
      if (!waiting.has(item)) continue
      const isOver = now() - since >= waitMs
      // A replica may refuse each time what its probes accept.
      const isSent = !isOver && tryNow(item)
      if (!isSent && !isLast && !isOver) continue
      remove(item)
      if (!isSent) onTimeout(item)
    }
    for (const source of new Set([...waiting.keys()].map(sourceOf))) source.hurry()
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    wait(item, since = now()) {
      const displaced = addItem(places, networkOf(item), item, 1)
      if (!displaced) return false
      for (const lost of displaced) {
        waiting.delete(lost)
        onDisplaced(lost)
      }
      waiting.set(item, since)
      sourceOf(item).hurry()
      timer ??= setInterval(tick, TICK_MS)
      return true
    },
    remove,
  }
}
