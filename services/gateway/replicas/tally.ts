// Counts the last requests of one replica, and how many of them broke (G2). The status of a response does not count: it is
// the site's own, and a popular page with an error would be counted against the replica that renders it.

import { BROKEN_SHARE_WINDOW_MS } from '@portico/shared/wire/constants.ts'

export interface Tally {
  readonly requests: number
  readonly broken: number
}

export interface Tallies {
  note(isBroken: boolean, now: number): void
  /** Of the last half to whole window. */
  read(now: number): Tally
  clear(): void
}

const HALF_MS = BROKEN_SHARE_WINDOW_MS / 2
const NONE: Tally = { requests: 0, broken: 0 }

/** Two halves of the window: a request costs two additions, and no list of times. */
export function createTallies(): Tallies {
  let earlier: Tally = NONE
  let current = { requests: 0, broken: 0 }
  let since = 0
  const turn = (now: number) => {
    if (now - since < HALF_MS) return
    earlier = now - since < BROKEN_SHARE_WINDOW_MS ? current : NONE
    current = { requests: 0, broken: 0 }
    since = now
  }
  return {
    note(isBroken, now) {
      turn(now)
      current.requests++
      if (isBroken) current.broken++
    },
    read(now) {
      turn(now)
      return { requests: earlier.requests + current.requests, broken: earlier.broken + current.broken }
    },
    clear() {
      earlier = NONE
      current = { requests: 0, broken: 0 }
    },
  }
}
