// Generations and marks in the state Redis. Two keys: a sorted set of marks by generation, and a hash with the head.

import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { connectRedis } from '../store/redis.ts'
import { type GenerationReader, type GenerationStore, MAX_MARKS, type Mark, type MarksSince } from './generations.ts'

/** Members are `p` or `t` and the name of the path or tag; scores are generations. */
const MARKS_KEY = 'portico:marks'
/** Fields: epoch, generation, floor. */
const HEAD_KEY = 'portico:marks:head'

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
export function createRedisGenerationReader(url: URL, connectionName: string): GenerationReader {
  const redis = connectRedis(url, 'feed', { connectionName, commandTimeout: READ_TIMEOUT_MS })
  // Each read reports the fault.
  redis.on('error', () => {})
  return { read: (since) => read(redis, since), close: () => redis.disconnect() }
}

/** Counts and reads through a given connection, which the caller closes. */
export function createRedisGenerations(redis: Redis): GenerationStore {
  return {
    read: (since) => read(redis, since),
    async raise({ paths, tags, everything = false }) {
      const members = [...paths.map((path) => `p${path}`), ...tags.map((tag) => `t${tag}`)]
      const [epoch, generation] = (await redis.eval(
        RAISE,
        2,
        MARKS_KEY,
        HEAD_KEY,
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

async function read(redis: Redis, since: number): Promise<MarksSince> {
  // One transaction: a mark that is removed between two commands would be neither in the list nor below the floor.
  const replies = await redis
    .multi()
    .hmget(HEAD_KEY, 'epoch', 'generation', 'floor')
    .zrangebyscore(MARKS_KEY, `(${since}`, '+inf', 'WITHSCORES')
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
