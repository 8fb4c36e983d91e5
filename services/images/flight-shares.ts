// How much of the room for work under way one source may hold (I7): sources that respond slowly must not fill it. Each
// may hold a multiple of what is still free (Choudhury, Hahne 1998), so that something is always left for another one.

import type { WorkOrigin } from './encoding/fair-turns.ts'

/** A host alone may hold two thirds of all, a pattern three quarters. */
const HOST_MULTIPLE = 2
const PATTERN_MULTIPLE = 3

export interface FlightShares {
  /** Whether work of that origin may begin. */
  admits(origin: WorkOrigin): boolean
  /** Counts work as begun; the returned function counts its end. */
  begin(origin: WorkOrigin): () => void
}

/** `most` pieces of work at once. */
export function createFlightShares(most: number): FlightShares {
  const held = new Set<WorkOrigin>()
  const count = (matches: (origin: WorkOrigin) => boolean) => [...held].filter(matches).length
  return {
    admits({ pattern, host }) {
      const free = most - held.size
      const inPattern = count((other) => other.pattern === pattern)
      const ofHost = count((other) => other.pattern === pattern && other.host === host)
      return ofHost < HOST_MULTIPLE * free && inPattern < PATTERN_MULTIPLE * free
    },
    begin(origin) {
      // One member a piece of work.
      const piece = { ...origin }
      held.add(piece)
      return () => void held.delete(piece)
    },
  }
}
