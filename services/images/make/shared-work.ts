// Work in progress by key: requests for the same result share one piece of work, which is aborted when no request waits
// for the result any more (I6, I7).

import { addAbortListener } from 'node:events'
import { rankOf, type Urgency, type WorkClass } from '../queue/queue.ts'

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

/** Reason of the abort after the last waiter has left. */
class NoWaiterError extends Error {
  override name = 'NoWaiterError'
}

class SharedPiece<T> implements WorkPiece {
  readonly controller = new AbortController()
  readonly signal = this.controller.signal
  readonly urgency: Urgency
  readonly promise: Promise<T>
  waiters = 0
  isCommitted = false
  /** A property: callers pass the function on without the piece. */
  readonly commit = (): void => {
    this.isCommitted = true
  }

  constructor(workClass: WorkClass, work: (piece: WorkPiece) => Promise<T>) {
    this.urgency = { class: workClass }
    this.promise = work(this)
  }
}

/** Begins without work. */
export function createSharedWork<T>() {
  const pieces = new Map<string, SharedPiece<T>>()
  const remove = (key: string, piece: SharedPiece<T>) => pieces.get(key) === piece && pieces.delete(key)

  const start = (key: string, piece: SharedPiece<T>) => {
    pieces.set(key, piece)
    const end = () => void remove(key, piece)
    // Work may reject after all waiters have left; each waiter gets its own rejection.
    piece.promise.then(end, end)
    return piece
  }

  return {
    /**
     * Joins the piece of work of this key or starts one. Rejects with the signal's reason when the signal aborts. The
     * work continues while other waiters remain. Without waiters, work that is not committed is aborted.
     */
    async join(key: string, { signal, class: workClass }: JoinOptions, work: (piece: WorkPiece) => Promise<T>) {
      signal.throwIfAborted()
      const piece = pieces.get(key) ?? start(key, new SharedPiece(workClass, work))
      if (rankOf(workClass) < rankOf(piece.urgency.class)) piece.urgency.class = workClass
      piece.waiters++
      const left = Promise.withResolvers<never>()
      using _listener = addAbortListener(signal, () => left.reject(signal.reason))
      try {
        return await Promise.race([piece.promise, left.promise])
      } finally {
        piece.waiters--
        // A later request must not join work that is being aborted.
        if (piece.waiters === 0 && !piece.isCommitted && remove(key, piece))
          piece.controller.abort(new NoWaiterError('no request waits for this work'))
      }
    },
    has: (key: string) => pieces.has(key),
  }
}
