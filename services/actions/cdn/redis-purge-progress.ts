// The progress of purges in the state Redis: a hash with the lease of one replica. Times are those of Redis.

import type { RedisClient } from '@portico/shared/kit/store/redis.ts'
import { LEASE_MS, type PurgeProgressStore } from './purge-progress.ts'

/** Fields: owner, until, version, epoch, generation. */
const KEY = 'portico:cdn'

const HEAD = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'owner', 'until')
local isOwn = held[1] == ARGV[1]
local isFree = not held[1] or tonumber(held[2]) <= now
local lease = string.format('%d', now + tonumber(ARGV[2]))`

// KEYS: the hash. ARGV: owner, milliseconds of the lease, and for SAVE version, epoch, generation.
const CLAIM = `${HEAD}
if not isOwn and not isFree then return false end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', lease)
return redis.call('HMGET', KEYS[1], 'version', 'epoch', 'generation')`

const SAVE = `${HEAD}
if not isOwn then return 0 end
redis.call('HSET', KEYS[1], 'until', lease, 'version', ARGV[3], 'epoch', ARGV[4], 'generation', ARGV[5])
return 1`

const RELEASE = `
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('HDEL', KEYS[1], 'owner', 'until') end
return 1`

/** Uses a given connection, which the caller closes. */
export function createRedisPurgeProgress(redis: RedisClient, owner: string): PurgeProgressStore {
  return {
    async claim() {
      const reply = (await redis.eval(CLAIM, 1, KEY, owner, LEASE_MS)) as (string | null)[] | null
      if (!reply) return undefined
      const [version, epoch, generation] = reply
      if (version == null || epoch == null || generation == null) return { progress: undefined }
      return { progress: { version, epoch, generation: Number(generation) } }
    },
    async save({ version, epoch, generation }) {
      return (await redis.eval(SAVE, 1, KEY, owner, LEASE_MS, version, epoch, generation)) === 1
    },
    async release() {
      await redis.eval(RELEASE, 1, KEY, owner)
    },
    close: () => {},
  }
}
