// Stores variants for all replicas in Redis strings, which are read together with the number of the last purge (I5,
// I9).

import type { RedisLink } from './redis-link.ts'
import { keyDigest, PIPELINE_VERSION } from './variant.ts'
import { decodeVariant, encodeVariant } from './variant-codec.ts'
import type { VariantStore } from './variant-store.ts'
import { createBudget } from './variant-store.ts'

/** All keys of this service begin with this prefix; the braces keep the keys in one slot of a cluster. */
export const REDIS_PREFIX = `{portico-images-${PIPELINE_VERSION}}`
export const PURGE_COUNTER_KEY = `${REDIS_PREFIX}:purge-counter`

/** A write runs after the response, outside of the request's budget. */
const WRITE_BUDGET_MS = 1500
/** Larger variants are stored in memory only: they would delay all other reads on the connection. */
const LARGEST_BYTES = 8 * 1024 * 1024

export interface RedisStoreOptions {
  link: RedisLink
  /** Receives the purge counter of every read before the variants are used; may load missed purges. */
  observePurges: (counter: number | undefined) => Promise<void>
}

/** Never throws; a fault is a miss. */
export function createRedisStore({ link, observePurges }: RedisStoreOptions): VariantStore {
  const redisKey = (key: string) => `${REDIS_PREFIX}:v:${keyDigest(key)}`
  return {
    shared: true,
    async getMany(keys, budget) {
      const replies = await link.blobs(budget, (redis) =>
        redis.pipeline().mgetBuffer(keys.map(redisKey)).get(PURGE_COUNTER_KEY).exec(),
      )
      const [values, counter] = (replies ?? []).map(([error, value]) => (error ? undefined : value))
      if (!Array.isArray(values)) return keys.map(() => undefined)
      await observePurges(typeof counter === 'string' ? Number(counter) : undefined)
      return keys.map((key, index) => {
        const value: unknown = values[index]
        return Buffer.isBuffer(value) ? decodeVariant(value, key) : undefined
      })
    },
    async set(variant, keepMs) {
      const bytes = encodeVariant(variant)
      if (bytes.length > LARGEST_BYTES || keepMs < 1) return false
      const reply = await link.blobs(createBudget(WRITE_BUDGET_MS), (redis) =>
        redis.set(redisKey(variant.meta.key), bytes, 'PX', Math.round(keepMs)),
      )
      return reply === 'OK'
    },
    async delete(key) {
      await link.control(createBudget(WRITE_BUDGET_MS), (redis) => redis.del(redisKey(key)))
    },
    async probe() {
      const reply = await link.control(createBudget(WRITE_BUDGET_MS), (redis) => redis.ping())
      return reply === 'PONG'
    },
    // The link has other users; the creator of the link closes the link.
    close: async () => {},
  }
}
