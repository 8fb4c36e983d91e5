// The connections to the cache Redis, with a breaker: a store that is away or frozen costs a request nothing (O6).

import { EventEmitter } from 'node:events'
import { eventLoopUtilization } from 'node:perf_hooks'
import type { Redis, RedisOptions } from 'ioredis'
import type { Log } from '../../shared/node/log.ts'
import { connectRedis } from '../../shared/node/redis.ts'
import { isTracing } from '../../shared/node/tracing.ts'
import type { Budget } from './cache.ts'

export interface RedisLink {
  /** Small commands, pipelined by themselves. Undefined when Redis did not answer within the budget. */
  control<T>(budget: Budget, run: (redis: Redis) => Promise<T>): Promise<T | undefined>
  /** Commands that carry pictures, on a connection of their own so that they hold nothing else up. */
  blobs<T>(budget: Budget, run: (redis: Redis) => Promise<T>): Promise<T | undefined>
  /** Hears of every message of the channel, over reconnects. */
  subscribe(channel: string, listener: (message: string) => void): void
  /** Called when the subscriptions stand (again): messages of the time before are lost. */
  onSubscribed(listener: () => void): void
  /** Whether commands are tried at all now. */
  readonly available: boolean
  /** Resolves when connected, or after `waitMs` with false. */
  connected(waitMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Faults in a row after which nothing is asked for a while. */
const BREAKER_FAULTS = 5
const BREAKER_PAUSE_MS = 1000
/** A command that nobody waits for any more is given up after this time. */
const COMMAND_TIMEOUT_MS = 2000

const OPTIONS = {
  // A cache that answers late is worse than one that does not: no queues, no retries.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1000,
  commandTimeout: COMMAND_TIMEOUT_MS,
  retryStrategy: (times: number) => Math.min(2000, 50 * 2 ** Math.min(times, 6)),
  // The subscriber speaks RESP2, where published messages arrive as plain replies.
  protocol: 2,
} satisfies RedisOptions

/** Opens three connections in the background; nothing here throws or waits when Redis is away. */
export function createRedisLink(url: URL, log: Log, now: () => number = () => performance.now()): RedisLink {
  // A pipeline runs for the request that began it: the commands of others would be told in its trace.
  const enableAutoPipelining = !isTracing()
  const control = connectRedis(url, { ...OPTIONS, enableAutoPipelining, connectionName: 'portico-images' })
  const blobs = connectRedis(url, { ...OPTIONS, connectionName: 'portico-images-blobs' })
  const subscriber = connectRedis(url, { ...OPTIONS, connectionName: 'portico-images-subscriber' })
  const connections = [control, blobs, subscriber]
  const messages = new EventEmitter().setMaxListeners(0)
  const breaker = createBreaker(log, now)
  const channels = new Set<string>()
  let whenSubscribed: (() => void)[] = []

  for (const connection of connections) {
    // Each fault also rejects its command; without a listener the same fault would end the process.
    connection.on('error', (error) => breaker.noteConnection(false, error))
  }
  const resubscribe = async () => {
    if (channels.size > 0) await subscriber.subscribe(...channels)
    for (const listener of whenSubscribed) listener()
  }
  const tryResubscribe = () => {
    resubscribe().catch((error: unknown) => log.warn({ event: 'cache-subscribe', error }, 'cannot subscribe'))
  }
  subscriber.on('ready', tryResubscribe)
  subscriber.on('message', (channel: string, message: string) => messages.emit(channel, message))
  control.on('ready', () => breaker.noteConnection(true))

  const ask = async <T>(redis: Redis, budget: Budget, run: (redis: Redis) => Promise<T>): Promise<T | undefined> => {
    const leftMs = budget.leftMs()
    if (leftMs <= 0 || redis.status !== 'ready' || !breaker.allows()) return undefined
    const started = eventLoopUtilization()
    let silent = false
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, failed) => {
      const giveUp = () => {
        silent = true
        failed(new Error('over the budget'))
      }
      // Timers run before sockets are read: after a crowd of requests the reply may be there already, unread.
      timer = setTimeout(() => setImmediate(giveUp), leftMs)
    })
    try {
      const value = await Promise.race([run(redis), late])
      breaker.success()
      return value
    } catch (error) {
      // O6: every fault of the cache is a miss. A refusal (full, loading, wrong type) is an answer all the same; only
      // silence opens the breaker, which logs it.
      if (error instanceof Error && error.name === 'ReplyError') breaker.success()
      else breaker.fault(error)
      return undefined
    } finally {
      clearTimeout(timer)
      // While the process itself was busy nobody waited for Redis: else a crowd's first request would find its budget
      // spent, go without the lock, and each replica would do the same work.
      budget.spend(silent ? leftMs : eventLoopUtilization(started).idle)
    }
  }

  return {
    control: (budget, run) => ask(control, budget, run),
    blobs: (budget, run) => ask(blobs, budget, run),
    subscribe(channel, listener) {
      channels.add(channel)
      messages.on(channel, listener)
      if (subscriber.status === 'ready') tryResubscribe()
    },
    onSubscribed(listener) {
      whenSubscribed = [...whenSubscribed, listener]
    },
    get available() {
      return control.status === 'ready' && breaker.allows()
    },
    async connected(waitMs) {
      const end = now() + waitMs
      while (now() < end) {
        if (connections.every((connection) => connection.status === 'ready')) return true
        await new Promise((done) => setTimeout(done, 20))
      }
      return false
    },
    async close() {
      for (const connection of connections) connection.disconnect()
    },
  }
}

function createBreaker(log: Log, now: () => number) {
  let faults = 0
  let closedUntil = 0
  let connected: boolean | undefined
  return {
    allows(): boolean {
      if (closedUntil === 0) return true
      if (now() < closedUntil) return false
      // One request a pause finds out whether Redis is back.
      closedUntil = now() + BREAKER_PAUSE_MS
      return true
    },
    success(): void {
      if (closedUntil !== 0) log.info({ event: 'cache-back' }, 'the cache answers again')
      faults = 0
      closedUntil = 0
    },
    fault(error: unknown): void {
      faults++
      if (faults < BREAKER_FAULTS || closedUntil !== 0) return
      closedUntil = now() + BREAKER_PAUSE_MS
      log.warn({ event: 'cache-away', error }, 'the cache does not answer: images are cached in memory only')
    },
    noteConnection(up: boolean, error?: unknown): void {
      if (connected === up) return
      connected = up
      if (up) {
        faults = 0
        closedUntil = 0
        log.info({ event: 'cache-connected' }, 'connected to the cache')
      } else log.warn({ event: 'cache-away', error }, 'the cache cannot be reached: images are cached in memory only')
    },
  }
}
