// Pauses between attempts at what fails.

interface BackOff {
  firstMs: number
  longestMs: number
}

/** The pause after a number of failures in a row, from 1: each is twice the one before it, up to the longest. */
export function backOff({ firstMs, longestMs }: BackOff, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}
