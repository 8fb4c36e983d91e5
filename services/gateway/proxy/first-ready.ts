// Requests that wait for a first ready replica (G2, E7): bounded in number and time, in the order of their arrival.

import { FIRST_READY_WAIT_MS, FIRST_READY_WAITERS } from '@portico/shared/wire/constants.ts'

/** Interval of look-ups and probes while requests wait. */
const TICK_MS = 100

export interface FirstReadyDeps<T> {
  /** Sends the request if a usable replica has a free slot. Returns whether the request was sent. */
  tryNow: (item: T) => boolean
  /** The replicas for which the request waits: they are looked up and probed again at each tick. */
  sourceOf: (item: T) => { hurry(): void }
  /** No replica was ready in time. */
  onTimeout: (item: T) => void
  isDraining: () => boolean
  waitMs?: number
  most?: number
  now?: () => number
}

export interface FirstReady<T> {
  /** False: too many requests wait already. `since`: when the request began to wait, if it waits again. */
  wait(item: T, since?: number): boolean
  /** The request no longer waits. */
  remove(item: T): void
}

export function createFirstReady<T>(deps: FirstReadyDeps<T>): FirstReady<T> {
  const { tryNow, sourceOf, onTimeout, isDraining } = deps
  const { waitMs = FIRST_READY_WAIT_MS, most = FIRST_READY_WAITERS, now = () => performance.now() } = deps
  /** In the order of arrival, with the time since which each request waits. */
  const waiting = new Map<T, number>()
  let timer: NodeJS.Timeout | undefined

  const tick = () => {
    const isLast = isDraining()
    for (const [item, since] of [...waiting]) {
      // Sending one request may have removed another one.
      if (!waiting.has(item)) continue
      const isOver = now() - since >= waitMs
      // A replica may refuse each time what its probes accept.
      const isSent = !isOver && tryNow(item)
      if (!isSent && !isLast && !isOver) continue
      waiting.delete(item)
      if (!isSent) onTimeout(item)
    }
    for (const source of new Set([...waiting.keys()].map(sourceOf))) source.hurry()
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    wait(item, since = now()) {
      if (waiting.size >= most) return false
      waiting.set(item, since)
      sourceOf(item).hurry()
      timer ??= setInterval(tick, TICK_MS)
      return true
    },
    remove: (item) => void waiting.delete(item),
  }
}
