// Limits the share of running work that one source may hold (I7): sources that respond slowly must not hold all of it.
// A source may hold a multiple of the free places (Choudhury, Hahne 1998), so that other sources always find a place.

import type { WorkOrigin } from './fair-turns.ts'

/** One host may hold two thirds of the places, one pattern three quarters. */
const HOST_MULTIPLE = 2
const PATTERN_MULTIPLE = 3

/** `most` is the limit of pieces of work at the same time. */
export function createWorkShares(most: number) {
  const held = new Set<WorkOrigin>()
  const count = (matches: (origin: WorkOrigin) => boolean) => [...held].filter(matches).length
  return {
    /** Whether work of this origin may begin. */
    admits({ pattern, host }: WorkOrigin): boolean {
      const free = most - held.size
      const inPattern = count((other) => other.pattern === pattern)
      const ofHost = count((other) => other.pattern === pattern && other.host === host)
      return ofHost < HOST_MULTIPLE * free && inPattern < PATTERN_MULTIPLE * free
    },
    /** Counts work as begun; the returned function counts the end of the work. */
    begin(origin: WorkOrigin): () => void {
      // A new object, because the set compares by identity.
      const piece = { ...origin }
      held.add(piece)
      return () => void held.delete(piece)
    },
  }
}
