// Lets one replica at a time do a piece of work (I6): a Redis lock with a short expiry, and a message after the work.

import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisLink } from './redis-link.ts'
import { REDIS_PREFIX, variantKeyOf } from './redis-store.ts'
import { keyDigest } from './variant.ts'
import { type Budget, createBudget } from './variant-store.ts'

type LockResult =
  /** This replica does the work, and must call `release` after it has stored the result. */
  | { kind: 'mine'; release: () => Promise<void> }
  /** Another replica does the work. `done` resolves after the work, after WAIT_MS or at the abort; then look again. */
  | { kind: 'theirs'; done: (signal: AbortSignal) => Promise<void> }

export interface WorkLock {
  acquire(key: string, budget: Budget): Promise<LockResult>
}

/** A replica that died delays the others for this long at most. */
const LOCK_MS = 3000
const RENEW_MS = 1000
/** A lost message or an expired lock is noticed after this time. */
const WAIT_MS = 500
const LOCK_BUDGET_MS = 1000
const CHANNEL = `${REDIS_PREFIX}:done`

/** Deletes the lock only if this replica still holds the lock, and notifies all waiting replicas in any case. */
const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return redis.call('PUBLISH', ARGV[2], ARGV[3])`
const RENEW_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`

/** The lock of a service without other replicas. */
export function createNoLock(): WorkLock {
  return { acquire: async () => ({ kind: 'mine', release: async () => {} }) }
}

/** Without a response from Redis the lock is `mine`: encoding an image twice is harmless, never encoding it is not. */
export function createRedisLock(link: RedisLink): WorkLock {
  const finished = new EventEmitter().setMaxListeners(0)
  link.subscribe(CHANNEL, (digest) => finished.emit(digest))

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
          redis.eval(RELEASE_SCRIPT, 1, lockKey, token, CHANNEL, digest),
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
