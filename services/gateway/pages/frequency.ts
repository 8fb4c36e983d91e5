// How often keys were used lately, in a fixed number of bytes whatever the number of keys: a count-min sketch whose
// counters are halved from time to time, as in TinyLFU.

import { randomInt } from 'node:crypto'

const ROWS = 4
/** Keys that are used once are many more than those that matter. */
const COUNTERS_PER_KEY = 16
const MOST = 255
/** Halving more counters at once would delay requests. */
const MOST_WIDTH = 2 ** 22
/** Uses per counter of a row, after which all are halved: what was used often long ago does not count for ever. */
const USES_PER_COUNTER = 2

interface Frequency {
  /** Names a key in the other functions. */
  hash(key: string): number
  note(hash: number): void
  /** At least as many uses as there were lately, unless the counters are full. */
  of(hash: number): number
}

/** For about so many keys that matter. */
export function createFrequency(keys: number): Frequency {
  const width = Math.min(2 ** Math.ceil(Math.log2(Math.max(keys, 64) * COUNTERS_PER_KEY)), MOST_WIDTH)
  const counters = new Uint8Array(ROWS * width)
  // SECURITY: a client that knew the counters of a page could name pages with the same counters, which would seem as
  // frequent.
  const seed = randomInt(2 ** 32)
  let uses = 0

  const placeOf = (hash: number, row: number) => {
    const step = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) | 1
    return row * width + ((hash + Math.imul(row, step)) & (width - 1))
  }
  const of = (hash: number) => {
    let least = MOST
    for (let row = 0; row < ROWS; row++) least = Math.min(least, counters[placeOf(hash, row)]!)
    return least
  }
  return {
    of,
    hash(key) {
      let hash = seed
      for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
      hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
      return hash ^ (hash >>> 15)
    },
    note(hash) {
      // Only the least of a key's counters count its uses; the others are higher because of other keys.
      const least = of(hash)
      for (let row = 0; row < ROWS && least < MOST; row++) {
        const place = placeOf(hash, row)
        if (counters[place] === least) counters[place]++
      }
      if (++uses < width * USES_PER_COUNTER) return
      uses = 0
      for (let place = 0; place < counters.length; place++) counters[place]! >>= 1
    },
  }
}
