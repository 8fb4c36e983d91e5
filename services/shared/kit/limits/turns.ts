// How often a client may do something: the generic cell rate algorithm (ITU-T I.371), a pure function. It keeps one number
// for each client, allows as many turns in a row as in a minute, and then one after the other in equal distances.

export const MINUTE_MS = 60_000
/** Sums of fractions are inexact: the last turn in a row would have to wait for 1e-11 ms. */
const ROUNDING_MS = 0.001

interface Turn {
  /** The time at which the client has used none of its turns; a client without a number has used none. */
  end: number
  /** 0: the turn is taken. Otherwise milliseconds until the next turn, and `end` has not changed. */
  waitMs: number
}

/**
 * Takes a turn at `now`. `end` is that of the client's last turn; times are milliseconds.
 *
 * @example
 * takeTurn(undefined, 1000, 60) // { end: 2000, waitMs: 0 }
 * takeTurn(61_000, 1000, 60) // { end: 61_000, waitMs: 1000 }
 */
export function takeTurn(end: number | undefined, now: number, perMinute: number): Turn {
  const begin = Math.max(end ?? now, now)
  const next = begin + MINUTE_MS / perMinute
  const waitMs = next - now - MINUTE_MS
  return waitMs > ROUNDING_MS ? { end: begin, waitMs } : { end: next, waitMs: 0 }
}

/** The `end` of a client that has to wait for `waitMs`. */
export function endOfWaiting(waitMs: number, now: number, perMinute: number): number {
  return now + MINUTE_MS + waitMs - MINUTE_MS / perMinute
}
