// The entries that a gateway keeps, bounded in bytes (C7). Clients choose the keys of dynamic routes: pages that were
// requested once are apart, and a page displaces others only if it was requested more often than the next one to go.

import { LRUCache } from 'lru-cache'
import { createFrequency } from './frequency.ts'
import { type KeptEntry, OVERHEAD_BYTES } from './kept-entry.ts'

/** Share of the bytes for entries of dynamic routes before their second use. */
const PROBATION_SHARE = 0.2
/** An entry is at most this share of all bytes. */
const LARGEST_SHARE = 1 / 16

/** Bytes of the largest entry that a memory of this limit keeps. */
export function largestEntry(limitBytes: number): number {
  return limitBytes * LARGEST_SHARE
}

export interface PageMemory {
  /** Counts one use of the key. */
  get(key: string): KeptEntry | undefined
  /** Counts no use. */
  peek(key: string): KeptEntry | undefined
  /** False: the entry is too large. `isKnown`: the key is one of a bounded number. */
  set(entry: KeptEntry, isKnown: boolean): boolean
  delete(key: string): void
  /** The entry takes more bytes than before. */
  grown(entry: KeptEntry): void
  figures(): { kept: number; probation: number; entries: number; evicted: number }
}

interface Slot {
  readonly entry: KeptEntry
  readonly hash: number
}

export function createPageMemory({ limitBytes }: { limitBytes: number }): PageMemory {
  let evicted = 0
  // Keys without an entry are counted, too: a page that a mark has removed returns to its place.
  const frequency = createFrequency(limitBytes / OVERHEAD_BYTES)
  const segment = (share: number) =>
    new LRUCache<string, Slot>({
      maxSize: Math.max(1, Math.floor(limitBytes * share)),
      sizeCalculation: ({ entry }) => entry.bytes,
      dispose: (_entry, _key, reason) => {
        if (reason === 'evict') evicted++
      },
    })
  const kept = segment(1 - PROBATION_SHARE)
  const probation = segment(PROBATION_SHARE)

  /** SECURITY: many keys that a client invents and requests twice must not displace pages that others request. */
  const belongsToKept = ({ entry, hash }: Slot): boolean => {
    const uses = frequency.of(hash)
    if (uses < 2) return false
    if (kept.calculatedSize + entry.bytes <= kept.maxSize) return true
    const next = kept.rvalues().next().value
    return next === undefined || uses > frequency.of(next.hash)
  }

  return {
    get(key) {
      const known = kept.get(key)
      if (known) {
        frequency.note(known.hash)
        return known.entry
      }
      const slot = probation.get(key)
      frequency.note(slot?.hash ?? frequency.hash(key))
      if (slot && belongsToKept(slot)) {
        probation.delete(key)
        kept.set(key, slot)
      }
      return slot?.entry
    },
    peek: (key) => (kept.peek(key) ?? probation.peek(key))?.entry,
    set(entry, isKnown) {
      const { key } = entry
      const isKept = isKnown || kept.has(key)
      kept.delete(key)
      probation.delete(key)
      if (entry.bytes > largestEntry(limitBytes)) return false
      const slot = { entry, hash: frequency.hash(key) }
      const to = isKept || belongsToKept(slot) ? kept : probation
      to.set(key, slot)
      return true
    },
    delete(key) {
      kept.delete(key)
      probation.delete(key)
    },
    grown(entry) {
      for (const each of [kept, probation]) {
        const slot = each.peek(entry.key)
        // The entry may have been replaced or dropped since.
        if (slot?.entry !== entry) continue
        // An LRUCache weighs a value once, when it is new.
        each.delete(entry.key)
        each.set(entry.key, slot)
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
