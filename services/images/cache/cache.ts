// Where variants are kept: a memory in front of one store, the cache Redis for all replicas or a folder (I5). A purged
// variant counts as missing (I9). No method of a store rejects or takes longer than its budget: every fault is a miss
// (O6). The Redis client is loaded only if a Redis is set. Which variant is served is left to serve-variant/.

import { type ClientLimit, createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import { clientKey, takeRedisTurn } from '@portico/shared/kit/limits/redis-turns.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { ImagesConfig } from '../config.ts'
import { endsOlder, failureKey, type Held, isFresh, PIPELINE_VERSION, type Variant } from '../variant/variant.ts'
import type { RedisLink } from './cache-redis.ts'
import type { MemoryStore } from './local-stores.ts'
import { createDiskStore } from './local-stores.ts'
import type { Purges } from './purges.ts'
import { createFilePurges } from './purges.ts'
import type { Budget, VariantStore } from './variant-store.ts'
import { createBudget, createNoLock, type WorkLock } from './variant-store.ts'

export { createMemoryStore, type MemoryStore } from './local-stores.ts'
export { createPurgeRoute, type Purges, parsePurgeBody } from './purges.ts'
export { type Budget, createBudget, type WorkLock } from './variant-store.ts'

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

interface HeldAnywhere {
  memory: Held
  /** Redis or disk; undefined until the store has been read. */
  store: Held | undefined
  purges: Pick<Purges, 'isPurged'>
  /** Milliseconds since the epoch. */
  now: number
}

/** The newest variant that no later failure ends, and the fresh failure that no purge covers; the memory wins among equals. */
export function newest({ memory, store, purges, now }: HeldAnywhere): Held {
  const usable = (held: Variant | undefined) => (held && !purges.isPurged(held.meta) ? held : undefined)
  const [mine, shared] = [usable(memory.variant), usable(store?.variant)]
  const isNewer = shared && (!mine || shared.meta.storedAt > mine.meta.storedAt)
  const variant = isNewer ? shared : mine
  const failure = [memory.failure, store?.failure].find((held) => usable(held) && isFresh(held!, now))
  const isEnded = variant && failure && endsOlder(failure) && failure.meta.storedAt > variant.meta.storedAt
  return { variant: isEnded ? undefined : variant, failure }
}

/** Where variants are kept, for one process or for all replicas. */
export interface OpenedStore {
  store: VariantStore
  purges: Purges
  lock: WorkLock
  available: () => boolean
  /** The connections to Redis. */
  link?: RedisLink
  close: () => Promise<void>
}

/** After this time the service starts without a response from the store, and reports the store as unavailable. */
const STORE_WAIT_MS = 1500

/** Redis if CACHE_REDIS_URL is set, else the disk of this process. */
export async function openStore(
  config: Pick<ImagesConfig, 'cacheRedisUrl' | 'cacheDir' | 'diskCacheBytes'>,
  log: Log,
): Promise<OpenedStore> {
  if (!config.cacheRedisUrl) {
    const store = await createDiskStore({ dir: config.cacheDir, limitBytes: config.diskCacheBytes, log })
    const purges = await createFilePurges(config.cacheDir, log)
    return { store, purges, lock: createNoLock(), available: () => store.available, close: () => store.close() }
  }
  const { createRedisLink, createRedisLock, createRedisPurges, createRedisStore } = await import('./cache-redis.ts')
  const link = createRedisLink(config.cacheRedisUrl, log)
  const purges = createRedisPurges(link, log)
  const store = createRedisStore({ link, observePurges: purges.observe })
  await link.connected(STORE_WAIT_MS)
  const lock = createRedisLock(link)
  return { store, purges, lock, available: () => link.available, link, close: () => link.close() }
}

interface ColdLimitDeps {
  /** 0: no limit. */
  perMinute: number
  /** Undefined: variants are on the disk of this process. */
  link: Pick<RedisLink, 'control'> | undefined
  /** In the names of keys, instead of addresses. */
  secret: string
  log: Log
}

/**
 * Opens the limit of images that are made for one client, counted by all replicas together in the cache Redis (I7); undefined
 * where no limit is set.
 */
export function openColdLimit({ perMinute, link, secret, log }: ColdLimitDeps): ClientLimit | undefined {
  if (perMinute === 0) return undefined
  if (!link) log.warn({ event: 'limits-local' }, 'no cache Redis: each replica counts the images of a client itself')
  // The text in the braces names the slot in a Cluster: each client has its own.
  const keyOf = (network: string) => `{portico-images-${PIPELINE_VERSION}:limit:${clientKey(network, secret)}}`
  // While Redis is unavailable the link sends nothing, and reports it: each replica then counts for itself.
  const takeShared =
    link &&
    ((network: string) => link.control(createBudget(), (redis) => takeRedisTurn(redis, keyOf(network), perMinute)))
  return createClientLimit({ perMinute, takeShared })
}
