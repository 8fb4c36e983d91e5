// Generations and marks in the state Redis. Two keys: `portico:marks`, a sorted set of marks by generation, and
// `portico:marks:head`, a hash with the head. In a Cluster both are in one slot.

import { randomUUID } from 'node:crypto'
import { connectRedis, keyGroup, type RedisClient } from '../store/redis.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { type GenerationReader, type GenerationStore, MAX_MARKS, type Mark, type MarksSince } from './generations.ts'

function keysAt(redis: RedisClient) {
  const marks = keyGroup(redis, 'marks')
  return {
    /** Members are `p` or `t` and the name of the path or tag; scores are generations. */
    marks,
    /** Fields: epoch, generation, floor. */
    head: `${marks}:head`,
  }
}

/** Connection of a reader: a frozen Redis must not hold the next reads. */
const READ_TIMEOUT_MS = 400

// KEYS: marks, head. ARGV: epoch of empty data, limit of marks, "1" for everything, members.
const RAISE = `
local head = redis.call('HMGET', KEYS[2], 'epoch', 'generation')
local epoch = head[1] or ARGV[1]
local time = redis.call('TIME')
local generation = math.max((tonumber(head[2]) or 0) + 1, time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[2], 'epoch', epoch, 'generation', string.format('%d', generation))
if ARGV[3] == '1' then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[2], 'floor', string.format('%d', generation))
end
for at = 4, #ARGV do redis.call('ZADD', KEYS[1], string.format('%d', generation), ARGV[at]) end
local excess = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[2])
if excess > 0 then
  local removed = redis.call('ZPOPMIN', KEYS[1], excess)
  redis.call('HSET', KEYS[2], 'floor', removed[#removed])
end
return { epoch, string.format('%d', generation) }`

/** Reads through its own connection, as a user that may read both keys. */
export function createRedisGenerationReader(url: RedisUrl, connectionName: string): GenerationReader {
  const redis = connectRedis(url, 'feed', { connectionName, commandTimeout: READ_TIMEOUT_MS })
  // Each read reports the fault.
  redis.on('error', () => {})
  return { read: (since) => read(redis, since), close: () => redis.disconnect() }
}

/** Counts and reads through a given connection, which the caller closes. */
export function createRedisGenerations(redis: RedisClient): GenerationStore {
  const keys = keysAt(redis)
  return {
    read: (since) => read(redis, since),
    async raise({ paths, tags, everything = false }) {
      const members = [...paths.map((path) => `p${path}`), ...tags.map((tag) => `t${tag}`)]
      const [epoch, generation] = (await redis.eval(
        RAISE,
        2,
        keys.marks,
        keys.head,
        randomUUID(),
        MAX_MARKS,
        everything ? 1 : 0,
        ...members,
      )) as [string, string]
      return { epoch, generation: Number(generation) }
    },
    close: () => {},
  }
}

async function read(redis: RedisClient, since: number): Promise<MarksSince> {
  // A transaction of a Cluster would wait until the Cluster is connected.
  if (redis.isCluster && redis.status !== 'ready') throw new Error('the state store is not connected')
  const keys = keysAt(redis)
  // One transaction: a mark that is removed between two commands would be neither in the list nor below the floor.
  const replies = await redis
    .multi()
    .hmget(keys.head, 'epoch', 'generation', 'floor')
    .zrangebyscore(keys.marks, `(${since}`, '+inf', 'WITHSCORES')
    .exec()
  const [head, members] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error
    return reply as (string | null)[]
  })
  if (!head || !members) throw new Error('the state store ended the transaction')
  const [epoch, generation, floor] = head
  return {
    epoch: epoch ?? '',
    generation: Number(generation ?? 0),
    floor: Number(floor ?? 0),
    marks: members.flatMap((member, at): Mark[] =>
      at % 2 === 1
        ? []
        : [{ kind: member?.[0] === 't' ? 'tag' : 'path', name: member!.slice(1), generation: Number(members[at + 1]) }],
    ),
  }
}
