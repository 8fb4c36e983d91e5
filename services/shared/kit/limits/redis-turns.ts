// The turns of clients in Redis, for all replicas together: turns.ts as a script, with the clock of Redis.

import { createHash } from 'node:crypto'
import type { Log } from '../observe/log.ts'
import { MINUTE_MS } from './turns.ts'

// KEYS: the client's. ARGV: microseconds between two turns, microseconds of a minute. Microseconds are whole numbers below
// 2^53. Returns the microseconds to wait. The key ends with the last turn: a client of one request a minute has a key for a
// part of that minute only.
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local begin = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local wait = begin + ARGV[1] - now - ARGV[2]
if wait > 0 then return wait end
local last = begin + ARGV[1]
redis.call('SET', KEYS[1], string.format('%d', last), 'PX', math.ceil((last - now) / 1000))
return 0`

/** What this file uses of a connection. */
interface TurnRedis {
  eval(script: string, keys: number, ...args: (string | number)[]): Promise<unknown>
}

/** Takes a turn of the client with this key: one command. Returns milliseconds, as `takeTurn` does. */
export async function takeRedisTurn(redis: TurnRedis, key: string, perMinute: number): Promise<number> {
  // Rounded up, the turns of a minute would take longer than a minute, and the last one in a row would have to wait.
  const betweenMicros = Math.floor((MINUTE_MS * 1000) / perMinute)
  return Number(await redis.eval(TAKE, 1, key, betweenMicros, MINUTE_MS * 1000)) / 1000
}

/**
 * The name of a client in a key. SECURITY: the state store writes its keys to a disk, which must not hold addresses; a hash
 * without a secret is found by trying all addresses.
 */
export function clientKey(network: string, secret: string): string {
  return createHash('sha256').update(`${secret}\n${network}`).digest('base64url').slice(0, 22)
}

/** A request waits no longer for the store (O6). */
const BUDGET_MS = 50
/** After a fault no request waits for this long. */
const PAUSE_MS = 1000

interface SharedTurnsDeps {
  redis: TurnRedis & { status: string }
  perMinute: number
  /** Undefined while the name of a key is not known: the replica then counts for itself. */
  keyOf: (network: string) => string | undefined
  log: Log
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Takes turns within the time limit; undefined while Redis is unavailable, which the log reports once. */
export function createSharedTurns({ redis, perMinute, keyOf, log, now = () => performance.now() }: SharedTurnsDeps) {
  let isAway = false
  let pausedUntil = Number.NEGATIVE_INFINITY
  const note = (error?: unknown) => {
    if (error === undefined && isAway) log.info({ event: 'limits-shared' }, 'limits are shared by all replicas again')
    if (error !== undefined && !isAway)
      log.warn({ event: 'limits-local', error }, 'limits not shared: each replica counts for itself')
    isAway = error !== undefined
    if (isAway) pausedUntil = now() + PAUSE_MS
  }
  return async function takeShared(network: string): Promise<number | undefined> {
    const key = keyOf(network)
    if (key === undefined || now() < pausedUntil) return undefined
    const { promise: late, reject } = Promise.withResolvers<never>()
    // Timers run before Node reads sockets: in a busy process the reply may have arrived unread.
    const giveUp = () => setImmediate(() => reject(new Error(`no reply within ${BUDGET_MS} ms`)))
    const timer = setTimeout(giveUp, BUDGET_MS)
    try {
      if (redis.status !== 'ready') throw new Error('not connected')
      const waitMs = await Promise.race([takeRedisTurn(redis, key, perMinute), late])
      note()
      return waitMs
    } catch (error) {
      note(error)
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }
}
