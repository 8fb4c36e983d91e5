// Work in progress by key: requests for the same result share one piece of work, which is aborted when no request waits
// for the result any more (I6, I7).

import type { Urgency, WorkClass } from '../queue/queue.ts'

export interface SharedWork<T> {
  /**
   * Joins the piece of work of this key or starts one. Rejects with the signal's reason when the signal aborts. The
   * work continues while other waiters remain. When the last waiter leaves, work that is not committed is aborted.
   */
  join(key: string, options: JoinOptions, work: (piece: WorkPiece) => Promise<T>): Promise<T>
  has(key: string): boolean
  readonly size: number
}

export interface JoinOptions {
  signal: AbortSignal
  class: WorkClass
}

export interface WorkPiece {
  /** Aborts when the last waiter has left. */
  signal: AbortSignal
  /** The most urgent class among the waiters. */
  urgency: Urgency
  /** From this call on the work runs to its end without waiters too, and later requests can still join the work. */
  commit(): void
}

interface SharedPiece<T> extends WorkPiece {
  promise: Promise<T>
  waiters: number
  progress: { isCommitted: boolean }
  controller: AbortController
}

const RANK: Record<WorkClass, number> = { viewer: 0, refresh: 1, 'warm-up': 2 }

/** Reason of the abort after the last waiter has left. */
class NoWaiterError extends Error {
  override name = 'NoWaiterError'
}

/** Begins without work. */
export function createSharedWork<T>(): SharedWork<T> {
  const pieces = new Map<string, SharedPiece<T>>()

  const start = (key: string, workClass: WorkClass, work: (piece: WorkPiece) => Promise<T>): SharedPiece<T> => {
    const controller = new AbortController()
    const progress = { isCommitted: false }
    const context: WorkPiece = {
      signal: controller.signal,
      urgency: { class: workClass },
      commit: () => {
        progress.isCommitted = true
      },
    }
    const promise = work(context).finally(() => {
      if (pieces.get(key) === piece) pieces.delete(key)
    })
    // Work may reject after all waiters have left; each waiter gets a rejection of its own.
    promise.catch(() => {})
    const piece: SharedPiece<T> = { ...context, promise, waiters: 0, progress, controller }
    pieces.set(key, piece)
    return piece
  }

  return {
    async join(key, { signal, class: workClass }, work) {
      signal.throwIfAborted()
      const piece = pieces.get(key) ?? start(key, workClass, work)
      if (RANK[workClass] < RANK[piece.urgency.class]) piece.urgency.class = workClass
      piece.waiters++
      let leave: (() => void) | undefined
      const left = new Promise<never>((_, failed) => {
        leave = () => failed(signal.reason)
        signal.addEventListener('abort', leave, { once: true })
      })
      try {
        return await Promise.race([piece.promise, left])
      } finally {
        if (leave) signal.removeEventListener('abort', leave)
        piece.waiters--
        if (piece.waiters === 0 && !piece.progress.isCommitted && pieces.get(key) === piece) {
          // A later request must not join work that is being aborted.
          pieces.delete(key)
          piece.controller.abort(new NoWaiterError('no request waits for this work'))
        }
      }
    },
    has: (key) => pieces.has(key),
    get size() {
      return pieces.size
    },
  }
}
