// The connections to the cache Redis, with a circuit breaker: an unavailable or frozen store delays no request (O6).

import { EventEmitter } from 'node:events'
import { eventLoopUtilization } from 'node:perf_hooks'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, connectSubscriber, isReadyWithin, type RedisClient } from '@portico/shared/kit/store/redis.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Budget } from './variant-store.ts'

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
