// Ends requests whose response has not begun in time (E7), and requests to another host that pauses too long.

import type { ClientRequest } from 'node:http'
import { removeFrom } from '@portico/shared/kit/http/unordered.ts'
import { codedError } from '@portico/shared/kit/inner/faults.ts'

/** Interval of the search for late requests. */
const SWEEP_MS = 100

export interface Timed {
  /** By performance.now(); undefined while the limit does not count yet. */
  readonly deadlineAt: number | undefined
}

export interface Deadlines<T> {
  add(item: T): void
  remove(item: T): void
}

/** One timer for all requests: a timer per request costs more than its precision is worth. */
export function createDeadlines<T extends Timed>(onLate: (item: T) => void): Deadlines<T> {
  const waiting: T[] = []
  let sweep: NodeJS.Timeout | undefined
  const endLate = () => {
    const now = performance.now()
    const late = waiting.filter(({ deadlineAt }) => deadlineAt !== undefined && deadlineAt <= now)
    for (const item of late) onLate(item)
    if (waiting.length > 0) return
    clearInterval(sweep)
    sweep = undefined
  }
  return {
    add(item) {
      waiting.push(item)
      sweep ??= setInterval(endLate, SWEEP_MS)
    },
    remove: (item) => removeFrom(waiting, item),
  }
}

/** A service ends its responses itself; another host may never do so. */
const LONGEST_SILENCE_MS = 60_000

/** Ends a request in which no byte passes for a minute. */
export function limitSilence(request: ClientRequest, silenceMs = LONGEST_SILENCE_MS): void {
  request.setTimeout(silenceMs, () => request.destroy(codedError('ESILENT', 'the other host paused too long')))
}
