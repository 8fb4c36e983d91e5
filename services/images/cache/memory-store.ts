// Stores variants in the memory of this process, bounded by bytes. `get` is synchronous, so a hit never waits.

import { LRUCache } from 'lru-cache'
import type { Variant } from './variant.ts'
import type { VariantStore } from './variant-store.ts'

export interface MemoryStore extends VariantStore {
  get(key: string): Variant | undefined
  put(variant: Variant, keepMs: number): void
  drop(key: string): void
  readonly bytes: number
}

/** Bytes that an entry takes besides its body: header object, key, map slot. */
const ENTRY_OVERHEAD_BYTES = 1024

/** `now` is the time in milliseconds since the epoch. */
export function createMemoryStore(limitBytes: number, now: () => number = Date.now): MemoryStore {
  const entries = new LRUCache<string, { variant: Variant; until: number }>({
    maxSize: limitBytes,
    // One image must not evict all others.
    maxEntrySize: Math.max(1, Math.floor(limitBytes / 4)),
    sizeCalculation: ({ variant }) => variant.body.length + ENTRY_OVERHEAD_BYTES,
  })
  const get = (key: string): Variant | undefined => {
    const entry = entries.get(key)
    if (!entry || entry.until > now()) return entry?.variant
    entries.delete(key)
    return undefined
  }
  const put = (variant: Variant, keepMs: number) => {
    if (keepMs > 0) entries.set(variant.meta.key, { variant, until: now() + keepMs })
  }
  return {
    shared: false,
    get,
    put,
    drop: (key) => void entries.delete(key),
    getMany: async (keys) => keys.map(get),
    async set(variant, keepMs) {
      put(variant, keepMs)
      return entries.has(variant.meta.key)
    },
    async delete(key) {
      entries.delete(key)
    },
    probe: async () => true,
    close: async () => entries.clear(),
    get bytes() {
      return entries.calculatedSize
    },
  }
}
