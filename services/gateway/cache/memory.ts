// The entries that a gateway keeps, bounded in bytes (C7). Pages of dynamic routes that were requested once are kept
// apart: clients choose such keys, and must not displace what others request.

import { LRUCache } from 'lru-cache'
import type { KeptEntry } from './kept-entry.ts'

/** Share of the bytes for entries of dynamic routes before their second use. */
const PROBATION_SHARE = 0.2
/** An entry is at most this share of all bytes. */
const LARGEST_SHARE = 1 / 16

/** Bytes of the largest entry that a memory of this limit keeps. */
export function largestEntry(limitBytes: number): number {
  return limitBytes * LARGEST_SHARE
}

export interface PageMemory {
  /** The second use of an entry ends its probation. */
  get(key: string): KeptEntry | undefined
  /** False: the entry is too large. `isKnown`: the key is one of a bounded number. */
  set(entry: KeptEntry, isKnown: boolean): boolean
  delete(key: string): void
  /** The entry takes more bytes than before. */
  grown(entry: KeptEntry): void
  figures(): { kept: number; probation: number; entries: number; evicted: number }
}

export function createPageMemory({ limitBytes }: { limitBytes: number }): PageMemory {
  let evicted = 0
  const segment = (share: number) =>
    new LRUCache<string, KeptEntry>({
      maxSize: Math.max(1, Math.floor(limitBytes * share)),
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (_entry, _key, reason) => {
        if (reason === 'evict') evicted++
      },
    })
  const kept = segment(1 - PROBATION_SHARE)
  const probation = segment(PROBATION_SHARE)

  return {
    get(key) {
      const known = kept.get(key)
      if (known) return known
      const entry = probation.peek(key)
      if (!entry) return undefined
      probation.delete(key)
      kept.set(key, entry)
      return entry
    },
    set(entry, isKnown) {
      const { key } = entry
      const isKept = isKnown || kept.has(key)
      kept.delete(key)
      probation.delete(key)
      if (entry.bytes > largestEntry(limitBytes)) return false
      const to = isKept ? kept : probation
      to.set(key, entry)
      return true
    },
    delete(key) {
      kept.delete(key)
      probation.delete(key)
    },
    grown(entry) {
      for (const each of [kept, probation]) {
        // The entry may have been replaced or dropped since.
        if (each.peek(entry.key) !== entry) continue
        // An LRUCache weighs a value once, when it is new.
        each.delete(entry.key)
        each.set(entry.key, entry)
      }
    },
    figures: () => ({
      kept: kept.calculatedSize,
      probation: probation.calculatedSize,
      entries: kept.size + probation.size,
      evicted,
    }),
  }
}
