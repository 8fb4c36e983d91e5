// Stores variants for all replicas in Redis strings, which are read together with the number of the last purge (I5,
// I9).

import type { RedisLink } from './redis-link.ts'
import { keyDigest, PIPELINE_VERSION } from './variant.ts'
import { decodeVariant, encodeVariant } from './variant-codec.ts'
import type { VariantStore } from './variant-store.ts'
import { createBudget } from './variant-store.ts'

const NAME = `portico-images-${PIPELINE_VERSION}`
/** Beginning of the names of purges: keys of one slot of a Cluster, because one script writes them, and channels. */
export const REDIS_PREFIX = `{${NAME}}`
export const PURGE_COUNTER_KEY = `${REDIS_PREFIX}:purge-counter`

/** A key of one variant or lock. In a Cluster the text in the braces names the slot: variants are in all slots. */
export function variantKeyOf(part: 'v' | 'lock', digest: string): string {
  return `{${NAME}:${part}:${digest}}`
}

/** A write runs after the response, outside of the request's budget. */
const WRITE_BUDGET_MS = 1500
/** Larger variants are stored in memory only: they would delay all other reads on the connection. */
const LARGEST_BYTES = 8 * 1024 * 1024

interface RedisStoreOptions {
  link: RedisLink
  /** Receives the purge counter of every read before the variants are used; may load missed purges. */
  observePurges: (counter: number | undefined) => Promise<void>
}

/** Never throws; a fault is a miss. */
export function createRedisStore({ link, observePurges }: RedisStoreOptions): VariantStore {
  const redisKey = (key: string) => variantKeyOf('v', keyDigest(key))
  return {
    shared: true,
    async getMany(keys, budget) {
      // Keys of different slots are in no command or pipeline together.
      const replies = await link.blobs(budget, (redis) =>
        Promise.all([
          redis.get(PURGE_COUNTER_KEY),
          ...keys.map((key) => redis.getBuffer(redisKey(key)).catch(missIfRefused)),
        ]),
      )
      if (!replies) return keys.map(() => undefined)
      const [counter, ...values] = replies
      await observePurges(counter === null ? undefined : Number(counter))
      return keys.map((key, index) => {
        const value = values[index]
        return value ? decodeVariant(value, key) : undefined
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

/** A key of another type, for example: the other variants are read. */
function missIfRefused(error: unknown): null {
  if (error instanceof Error && error.name === 'ReplyError') return null
  throw error
}
