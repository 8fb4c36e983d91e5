// The cache Redis: its connections with a circuit breaker, so that an unavailable or frozen store delays no request
// (O6), variants for all replicas in strings, read together with the number of the last purge (I5), purges by a sorted
// set, a counter and a channel (I9), and the lock with which one replica at a time does a piece of work (I6).

import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { eventLoopUtilization } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, connectSubscriber, isReadyWithin, type RedisClient } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import { keyDigest, PIPELINE_VERSION } from '../variant/variant.ts'
import { createPurgeRules, formatPurgeRule, MOST_PURGE_RULES, type Purges, parsePurgeRule } from './purges.ts'
import {
  type Budget,
  createBudget,
  decodeVariant,
  encodeVariant,
  type LockResult,
  type VariantStore,
  type WorkLock,
} from './variant-store.ts'

export interface RedisLink {
  /** Small commands, pipelined automatically. Undefined when Redis did not respond within the budget. */
  control<T>(budget: Budget, run: (redis: RedisClient) => Promise<T>): Promise<T | undefined>
  /** Commands that carry images, on a separate connection so that they delay no small command. */
  blobs<T>(budget: Budget, run: (redis: RedisClient) => Promise<T>): Promise<T | undefined>
  /** Calls the listener with every message of the channel, also after reconnects. */
  subscribe(channel: string, listener: (message: string) => void): void
  /** Calls the listener after each (re)subscription: messages before that moment are lost. */
  onSubscribed(listener: () => void): void
  /** Whether the link sends commands now. */
  readonly available: boolean
  /** Resolves when connected, or after `waitMs` with false. */
  connected(waitMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Consecutive faults after which the link sends no command for a while. */
const BREAKER_FAULTS = 5
const BREAKER_PAUSE_MS = 1000

/** Opens three connections in the background; does not throw or wait when Redis is unavailable. */
export function createRedisLink(url: RedisUrl, log: Log, now: () => number = () => performance.now()): RedisLink {
  const control = connectRedis(url, 'cache', { connectionName: 'portico-images' })
  const blobs = connectRedis(url, 'blobs', { connectionName: 'portico-images-blobs' })
  const subscriber = connectSubscriber(url, 'portico-images-subscriber')
  const connections = [control, blobs, subscriber]
  const messages = new EventEmitter().setMaxListeners(0)
  const breaker = createBreaker(log, now)
  const channels = new Set<string>()
  let subscribedListeners: (() => void)[] = []

  for (const connection of connections) {
    // Each fault also rejects its command; without a listener the same fault would end the process.
    connection.on('error', (error) => breaker.noteConnection(false, error))
  }
  const resubscribe = async () => {
    if (channels.size > 0) await subscriber.subscribe(...channels)
    for (const listener of subscribedListeners) listener()
  }
  const tryResubscribe = () => {
    resubscribe().catch((error: unknown) => log.warn({ event: 'cache-subscribe', error }, 'subscription failed'))
  }
  subscriber.on('ready', tryResubscribe)
  subscriber.on('message', (channel: string, message: string) => messages.emit(channel, message))
  control.on('ready', () => breaker.noteConnection(true))

  return {
    control: (budget, run) => send(breaker, control, budget, run),
    blobs: (budget, run) => send(breaker, blobs, budget, run),
    subscribe(channel, listener) {
      channels.add(channel)
      messages.on(channel, listener)
      if (subscriber.status === 'ready') tryResubscribe()
    },
    onSubscribed(listener) {
      subscribedListeners = [...subscribedListeners, listener]
    },
    get available() {
      return control.status === 'ready' && breaker.allows()
    },
    async connected(waitMs) {
      const ready = await Promise.all(connections.map((connection) => isReadyWithin(connection, waitMs)))
      return ready.every(Boolean)
    },
    async close() {
      for (const connection of connections) connection.disconnect()
    },
  }
}

/** Undefined when Redis did not respond within the budget, or when the breaker lets no command pass. */
async function send<T>(
  breaker: Breaker,
  redis: RedisClient,
  budget: Budget,
  run: (redis: RedisClient) => Promise<T>,
): Promise<T | undefined> {
  const leftMs = budget.leftMs()
  if (leftMs <= 0 || redis.status !== 'ready' || !breaker.allows()) return undefined
  const started = eventLoopUtilization()
  let timedOut = false
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    const giveUp = () => {
      timedOut = true
      failed(new Error('over the budget'))
    }
    // Timers run before Node reads sockets: after many requests the reply may have arrived unread.
    timer = setTimeout(() => setImmediate(giveUp), leftMs)
  })
  try {
    const value = await Promise.race([run(redis), late])
    breaker.success()
    return value
  } catch (error) {
    // O6: every fault of the cache is a miss. An error reply (full, loading, wrong type) is a response too; only
    // missing responses open the breaker, which logs the fault.
    if (error instanceof Error && error.name === 'ReplyError') breaker.success()
    else breaker.fault(error)
    return undefined
  } finally {
    clearTimeout(timer)
    // Only idle time counts, because a busy process did not wait for Redis. Else the first of many requests would
    // have no budget for the lock, and each replica would do the same work.
    budget.spend(timedOut ? leftMs : eventLoopUtilization(started).idle)
  }
}

type Breaker = ReturnType<typeof createBreaker>

function createBreaker(log: Log, now: () => number) {
  let faults = 0
  let closedUntil = 0
  let connected: boolean | undefined
  return {
    allows(): boolean {
      if (closedUntil === 0) return true
      if (now() < closedUntil) return false
      // After each pause one request tries whether Redis is available again.
      closedUntil = now() + BREAKER_PAUSE_MS
      return true
    },
    success(): void {
      if (closedUntil !== 0) log.info({ event: 'cache-back' }, 'cache available again')
      faults = 0
      closedUntil = 0
    },
    fault(error: unknown): void {
      faults++
      if (faults < BREAKER_FAULTS || closedUntil !== 0) return
      closedUntil = now() + BREAKER_PAUSE_MS
      log.warn({ event: 'cache-away', error }, 'cache does not respond: images are cached in memory only')
    },
    noteConnection(up: boolean, error?: unknown): void {
      if (connected === up) return
      connected = up
      if (up) {
        faults = 0
        closedUntil = 0
        log.info({ event: 'cache-connected' }, 'connected to the cache')
      } else log.warn({ event: 'cache-away', error }, 'cache unreachable: images are cached in memory only')
    },
  }
}

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

const RULES_KEY = `${REDIS_PREFIX}:purges`
const PURGE_CHANNEL = `${REDIS_PREFIX}:purge`
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
  link.subscribe(PURGE_CHANNEL, learn)
  link.onSubscribed(() => {
    isBehind = true
    load().catch((error: unknown) => log.warn({ event: 'purges-load', error }, 'purges not loaded'))
  })
  return {
    current: rules.current,
    isPurged: rules.isPurged,
    async purge(target) {
      const reply = await link.control(createBudget(PURGE_BUDGET_MS), (redis) =>
        redis.eval(
          PURGE_SCRIPT,
          2,
          PURGE_COUNTER_KEY,
          RULES_KEY,
          JSON.stringify(target),
          PURGE_CHANNEL,
          MOST_PURGE_RULES,
        ),
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
  const counts = await Promise.allSettled(redis.nodes().map((node) => node.pubsub('NUMSUB', PURGE_CHANNEL)))
  return counts.reduce((sum, each) => sum + (each.status === 'fulfilled' ? Number(each.value[1]) : 0), 0)
}

/** A replica that died delays the others for this long at most. */
const LOCK_MS = 3000
const RENEW_MS = 1000
/** A lost message or an expired lock is noticed after this time. */
const WAIT_MS = 500
const LOCK_BUDGET_MS = 1000
const DONE_CHANNEL = `${REDIS_PREFIX}:done`

/** Deletes the lock only if this replica still holds the lock, and notifies all waiting replicas in any case. */
const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return redis.call('PUBLISH', ARGV[2], ARGV[3])`
const RENEW_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`

/** Without a response from Redis the lock is `mine`: encoding an image twice is harmless, never encoding it is not. */
export function createRedisLock(link: RedisLink): WorkLock {
  const finished = new EventEmitter().setMaxListeners(0)
  link.subscribe(DONE_CHANNEL, (digest) => finished.emit(digest))

  const hold = (lockKey: string, digest: string, token: string): LockResult => {
    const timer = setInterval(() => {
      void link.control(createBudget(LOCK_BUDGET_MS), (redis) => redis.eval(RENEW_SCRIPT, 1, lockKey, token, LOCK_MS))
    }, RENEW_MS)
    timer.unref()
    return {
      kind: 'mine',
      async release() {
        clearInterval(timer)
        await link.control(createBudget(LOCK_BUDGET_MS), (redis) =>
          redis.eval(RELEASE_SCRIPT, 1, lockKey, token, DONE_CHANNEL, digest),
        )
      },
    }
  }

  return {
    async acquire(key, budget) {
      const digest = keyDigest(key)
      const lockKey = variantKeyOf('lock', digest)
      const token = randomBytes(12).toString('base64url')
      // Listens before it tries the lock: a message between the two would be lost.
      const listening = new AbortController()
      const message = once(finished, digest, { signal: listening.signal }).catch(() => {})
      const reply = await link.control(budget, (redis) => redis.set(lockKey, token, 'PX', LOCK_MS, 'NX'))
      if (reply === null) return { kind: 'theirs', done: (signal) => waitFor(message, signal, listening) }
      listening.abort()
      return reply === 'OK' ? hold(lockKey, digest, token) : { kind: 'mine', release: async () => {} }
    },
  }
}

/** Waits for the message, the end of WAIT_MS or the signal; never rejects. */
async function waitFor(message: Promise<unknown>, signal: AbortSignal, listening: AbortController): Promise<void> {
  const stop = AbortSignal.any([signal, listening.signal])
  await Promise.race([message, sleep(WAIT_MS, undefined, { signal: stop }).catch(() => {})])
  listening.abort()
}
