// Sends purge rules to every replica: by Redis (a sorted set, a counter, a channel), or by a file without Redis (I9).

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RedisClient } from '@portico/shared/kit/store/redis.ts'
import {
  createPurgeRules,
  formatPurgeRule,
  MOST_PURGE_RULES,
  type PurgeRules,
  type PurgeTarget,
  parsePurgeRule,
} from './purge-rules.ts'
import type { RedisLink } from './redis-link.ts'
import { PURGE_COUNTER_KEY, REDIS_PREFIX } from './redis-store.ts'
import { createBudget } from './variant-store.ts'

export interface Purges extends Pick<PurgeRules, 'current' | 'isPurged'> {
  /** Publishes a rule to all replicas. Rejects when the rule could not be published. */
  purge(target: PurgeTarget): Promise<Purged>
  /** Compares the counter of a store read: loads rules that were missed, restores rules that Redis has evicted. */
  observe(counter: number | undefined): Promise<void>
}

interface Purged {
  /** The number of the rule. */
  generation: number
  /** Replicas that received the rule; one that is not connected reads the rules when it connects. */
  replicas: number
}

const RULES_KEY = `${REDIS_PREFIX}:purges`
const CHANNEL = `${REDIS_PREFIX}:purge`
const PURGE_BUDGET_MS = 2000

/**
 * Numbers grow even if the counter was evicted or is damaged, since a number is at least Redis' time in milliseconds.
 * KEYS: counter, rules. ARGV: the target as JSON, channel, rules to keep.
 */
const PURGE_SCRIPT = `
local time = redis.call('TIME')
local number = math.max((tonumber(redis.call('GET', KEYS[1]) or '') or 0) + 1, time[1] * 1000 + math.floor(time[2] / 1000))
local text = string.format('%.0f', number)
local rule = text .. ' ' .. ARGV[1]
redis.call('SET', KEYS[1], text)
redis.call('ZADD', KEYS[2], text, rule)
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -(tonumber(ARGV[3]) + 1))
return {text, redis.call('PUBLISH', ARGV[2], rule)}`

/** Purges for all replicas of one Redis. */
export function createRedisPurges(link: RedisLink, log: Log): Purges {
  const rules = createPurgeRules()
  /** Oldest first. */
  const known = new Set<string>()
  /** Rules may have been published while the subscription was down. */
  let isBehind = true
  const learn = (text: string) => {
    const rule = parsePurgeRule(text)
    if (!rule || known.has(text)) return
    rules.add(rule)
    known.add(text)
    for (const oldest of known) {
      if (known.size <= MOST_PURGE_RULES) break
      known.delete(oldest)
    }
  }
  // Loads all rules: a later rule may have arrived before the missed ones.
  const load = async () => {
    const texts = await link.control(createBudget(PURGE_BUDGET_MS), (redis) => redis.zrange(RULES_KEY, '0', '-1'))
    if (!texts) return
    isBehind = false
    for (const text of texts) learn(text)
  }
  const restore = async () => {
    const highest = rules.current()
    await link.control(createBudget(PURGE_BUDGET_MS), (redis) =>
      redis
        .multi()
        .set(PURGE_COUNTER_KEY, String(highest), 'NX')
        .zadd(RULES_KEY, ...[...known].flatMap((text) => [Number(text.split(' ', 1)[0]), text]))
        .exec(),
    )
  }
  link.subscribe(CHANNEL, learn)
  link.onSubscribed(() => {
    isBehind = true
    load().catch((error: unknown) => log.warn({ event: 'purges-load', error }, 'purges not loaded'))
  })
  return {
    current: rules.current,
    isPurged: rules.isPurged,
    async purge(target) {
      const reply = await link.control(createBudget(PURGE_BUDGET_MS), (redis) =>
        redis.eval(PURGE_SCRIPT, 2, PURGE_COUNTER_KEY, RULES_KEY, JSON.stringify(target), CHANNEL, MOST_PURGE_RULES),
      )
      const [text, atNode] = Array.isArray(reply) ? reply : []
      if (typeof text !== 'string') throw new Error('Redis did not store the purge')
      const number = Number(text)
      learn(formatPurgeRule({ number, target }))
      const received = await link.control(createBudget(PURGE_BUDGET_MS), (redis) =>
        subscribersOf(redis, Number(atNode)),
      )
      // This replica has the rule also while its own subscription is down.
      return { generation: number, replicas: Math.max(1, received ?? 0) }
    },
    async observe(counter) {
      if (counter === undefined && known.size > 0) await restore()
      else if (isBehind || (counter ?? 0) > rules.current()) await load()
    },
  }
}

/** Replicas that received a message. PUBLISH counts those at one node of a Cluster only. */
async function subscribersOf(redis: RedisClient, atNode: number): Promise<number> {
  if (!('nodes' in redis)) return atNode
  const counts = await Promise.allSettled(redis.nodes().map((node) => node.pubsub('NUMSUB', CHANNEL)))
  return counts.reduce((sum, each) => sum + (each.status === 'fulfilled' ? Number(each.value[1]) : 0), 0)
}

/**
 * Purges for the processes of one machine, stored in a file next to the disk cache so that purges survive a restart. Each
 * process receives every purge, and writes all of its rules. A number is the time of the purge: a variant whose number is
 * later in another process was requested from its source after the purge.
 */
export async function createFilePurges(dir: string, log: Log, now: () => number = Date.now): Promise<Purges> {
  const rules = createPurgeRules()
  const file = join(dir, 'purges.txt')
  // Another process of this service may write at the same time.
  const draft = `${file}.${process.pid}.tmp`
  await mkdir(dir, { recursive: true })
  let lines = await readLines(file)
  for (const line of lines) {
    const rule = parsePurgeRule(line)
    if (rule) rules.add(rule)
  }
  let writing: Promise<void> = Promise.resolve()
  return {
    current: rules.current,
    isPurged: rules.isPurged,
    async purge(target) {
      const number = Math.max(rules.current() + 1, now())
      rules.add({ number, target })
      lines = [...lines, formatPurgeRule({ number, target })].slice(-MOST_PURGE_RULES)
      const text = `${lines.join('\n')}\n`
      // Writes run one after the other: an earlier text must not replace a later one.
      writing = writing
        .then(() => writeFile(draft, text))
        .then(() => rename(draft, file))
        .catch((error: unknown) =>
          log.warn({ event: 'purges-write', error }, 'purge not written: a restart forgets the purge'),
        )
      await writing
      return { generation: number, replicas: 1 }
    },
    observe: async () => {},
  }
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').filter((line) => line !== '')
}
