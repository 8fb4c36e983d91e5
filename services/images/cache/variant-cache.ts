// Memory in front of the store: reads and writes one variant in both (I5).

import { newest } from '../decide.ts'
import type { MemoryStore } from './memory-store.ts'
import type { Purges } from './purges.ts'
import { endsOlder, failureKey, type Held, type Variant } from './variant.ts'
import type { Budget, VariantStore } from './variant-store.ts'

/** While a source is unavailable its old variants are served for this long (I5). */
const KEEP_STALE_MS = 7 * 24 * 60 * 60 * 1000

export type VariantCache = ReturnType<typeof createVariantCache>

/** `now` is milliseconds since the epoch. */
export function createVariantCache(
  memory: MemoryStore,
  store: VariantStore,
  purges: Pick<Purges, 'isPurged'>,
  now: () => number,
) {
  const keepMs = ({ meta }: Variant) => meta.freshUntil - now() + (meta.kind === 'failure' ? 0 : KEEP_STALE_MS)
  const usable = (variant: Variant | undefined) => variant && !purges.isPurged(variant.meta)
  return {
    isShared: store.shared,
    fromMemory: (key: string): Held => ({ variant: memory.get(key), failure: memory.get(failureKey(key)) }),
    /** Reads the store, and copies what is newer than `before` to the memory. */
    async fromStore(key: string, before: Held, budget: Budget): Promise<Held> {
      const [variant, failure] = await store.getMany([key, failureKey(key)], budget)
      const held = { variant, failure }
      const after = newest({ memory: before, store: held, purges, now: now() })
      // SECURITY: another replica has stored a failure that ends the variant in this memory.
      if (before.variant && !after.variant && after.failure) memory.drop(key)
      for (const part of ['variant', 'failure'] as const) {
        const found = after[part]
        if (found && found !== before[part]) memory.put(found, keepMs(found))
      }
      return held
    },
    /** The first of `keys` that is cached and not purged; of the store only the first three keys are read. */
    async first(keys: readonly string[], budget: Budget): Promise<Variant | undefined> {
      for (const key of keys) {
        const variant = memory.get(key)
        if (usable(variant)) return variant
      }
      return keys.length === 0 ? undefined : (await store.getMany(keys.slice(0, 3), budget)).find(usable)
    },
    /** Keeps a new variant or failure of the work `key`. The memory has it before the first await. */
    async keep(key: string, { variant, isStorable }: { variant: Variant; isStorable: boolean }): Promise<void> {
      // What may not be stored any more must not be served from an older copy either.
      const mustDelete = endsOlder(variant) || !isStorable
      if (mustDelete) memory.drop(key)
      if (isStorable) memory.put(variant, keepMs(variant))
      if (mustDelete) await store.delete(key)
      if (isStorable) await store.set(variant, keepMs(variant))
    },
  }
}
