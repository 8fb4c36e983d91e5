// Carries purge rules to every replica: Redis (a sorted list, a counter, a channel), or a file where there is none (I9).

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../shared/node/log.ts'
import { createBudget } from './cache.ts'
import { PURGE_COUNTER_KEY, REDIS_PREFIX } from './cache-redis.ts'
import {
  createPurgeRules,
  MOST_PURGE_RULES,
  type PurgeRule,
  type PurgeRules,
  type PurgeTarget,
  parsePurgeTarget,
} from './purge-rules.ts'
import type { RedisLink } from './redis-link.ts'

export interface Purges extends Pick<PurgeRules, 'current' | 'isPurged'> {
  /** Makes a rule known everywhere and returns its number. Rejects when it could not be spread. */
  purge(target: PurgeTarget): Promise<number>
  /** What a read of the store told of the counter: loads rules that were missed, restores them when they were evicted. */
  observe(counter: number | undefined): Promise<void>
}

const RULES_KEY = `${REDIS_PREFIX}:purges`
const CHANNEL = `${REDIS_PREFIX}:purge`
const PURGE_BUDGET_MS = 2000

/**
 * Numbers grow even if the counter was evicted or holds rubbish, since they begin at Redis' own time in milliseconds.
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
redis.call('PUBLISH', ARGV[2], rule)
return text`

/** Purges that reach all replicas of one Redis. */
export function createRedisPurges(link: RedisLink, log: Log): Purges {
  const rules = createPurgeRules()
  /** Oldest first. */
  const known = new Set<string>()
  /** What was published while the subscription did not stand is not known yet. */
  let isBehind = true
  const learn = (text: string) => {
    const rule = parseRule(text)
    if (!rule || known.has(text)) return
    rules.add(rule)
    known.add(text)
    for (const oldest of known) {
      if (known.size <= MOST_PURGE_RULES) break
      known.delete(oldest)
    }
  }
  // All of them: a later one may have been heard before those that were missed.
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
      const json = JSON.stringify(target)
      const text = await link.control(createBudget(PURGE_BUDGET_MS), (redis) =>
        redis.eval(PURGE_SCRIPT, 2, PURGE_COUNTER_KEY, RULES_KEY, json, CHANNEL, MOST_PURGE_RULES),
      )
      if (typeof text !== 'string') throw new Error('the cache did not take the purge')
      learn(`${text} ${json}`)
      return Number(text)
    },
    async observe(counter) {
      if (counter === undefined && known.size > 0) await restore()
      else if (isBehind || (counter ?? 0) > rules.current()) await load()
    },
  }
}

/** Purges of one process, kept in a file beside the disk cache so that they outlive a restart. */
export async function createFilePurges(dir: string, log: Log, now: () => number = Date.now): Promise<Purges> {
  const rules = createPurgeRules()
  const file = join(dir, 'purges.txt')
  await mkdir(dir, { recursive: true })
  let lines = await readLines(file)
  for (const line of lines) {
    const rule = parseRule(line)
    if (rule) rules.add(rule)
  }
  let writing: Promise<void> = Promise.resolve()
  return {
    current: rules.current,
    isPurged: rules.isPurged,
    async purge(target) {
      const number = Math.max(rules.current() + 1, now())
      rules.add({ number, target })
      lines = [...lines, `${number} ${JSON.stringify(target)}`].slice(-MOST_PURGE_RULES)
      const text = `${lines.join('\n')}\n`
      // One writer after the other: a later file must never be replaced by an earlier one.
      writing = writing
        .then(() => writeFile(`${file}.tmp`, text))
        .then(() => rename(`${file}.tmp`, file))
        .catch((error: unknown) => log.warn({ event: 'purges-write', error }, 'the purge is forgotten at a restart'))
      await writing
      return number
    },
    observe: async () => {},
  }
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** `<number> <target as JSON>`; undefined when it is something else (rubbish in the store is not believed). */
function parseRule(text: string): PurgeRule | undefined {
  const number = Number(/^\d{1,16}(?= )/.exec(text)?.[0])
  if (Number.isNaN(number)) return undefined
  try {
    const target = parsePurgeTarget(JSON.parse(text.slice(text.indexOf(' ') + 1)))
    return target && { number, target }
  } catch {
    // Not JSON: not ours.
    return undefined
  }
}
