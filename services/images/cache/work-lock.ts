// One replica at a time does a piece of work (I6): a lock in Redis with a short life, and a word when it is done.

import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { keyDigest } from '../variant.ts'
import { type Budget, createBudget } from './cache.ts'
import { REDIS_PREFIX } from './cache-redis.ts'
import type { RedisLink } from './redis-link.ts'

export type LockAnswer =
  /** This replica works; `release` must be called after the result was stored. */
  | { kind: 'mine'; release: () => Promise<void> }
  /** Another replica works; resolves when it is done, after WAIT_MS at the latest, or at the abort. Then look again. */
  | { kind: 'theirs'; done: (signal: AbortSignal) => Promise<void> }

export interface WorkLock {
  acquire(key: string, budget: Budget): Promise<LockAnswer>
}

/** A replica that died holds others up for this long at most. */
const LOCK_MS = 3000
const RENEW_MS = 1000
/** A word that was lost, or a lock that ran out, is noticed after this long. */
const WAIT_MS = 500
const LOCK_BUDGET_MS = 1000
const CHANNEL = `${REDIS_PREFIX}:done`

/** Deletes the lock only if it is still ours, and tells all who wait either way. */
const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return redis.call('PUBLISH', ARGV[2], ARGV[3])`
const RENEW_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`

/** A lock for a service without other replicas. */
export function createNoLock(): WorkLock {
  return { acquire: async () => ({ kind: 'mine', release: async () => {} }) }
}

/** When Redis does not answer the lock is `mine`: a picture that is encoded twice is harmless, one never encoded is not. */
export function createRedisLock(link: RedisLink): WorkLock {
  const finished = new EventEmitter().setMaxListeners(0)
  link.subscribe(CHANNEL, (digest) => finished.emit(digest))

  const hold = (lockKey: string, digest: string, token: string): LockAnswer => {
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
      const lockKey = `${REDIS_PREFIX}:lock:${digest}`
      const token = randomBytes(12).toString('base64url')
      // Listened to before the lock is tried: a word spoken between the two would be lost.
      const word = listenOnce(finished, digest)
      const reply = await link.control(budget, (redis) => redis.set(lockKey, token, 'PX', LOCK_MS, 'NX'))
      if (reply === null) return { kind: 'theirs', done: (signal) => word.wait(WAIT_MS, signal) }
      word.cancel()
      return reply === 'OK' ? hold(lockKey, digest, token) : { kind: 'mine', release: async () => {} }
    },
  }
}

function listenOnce(emitter: EventEmitter, name: string) {
  let heard = false
  let wake: (() => void) | undefined
  const listener = () => {
    heard = true
    wake?.()
  }
  emitter.once(name, listener)
  const cancel = () => {
    emitter.off(name, listener)
  }
  return {
    cancel,
    async wait(limitMs: number, signal: AbortSignal): Promise<void> {
      if (!heard && !signal.aborted)
        await new Promise<void>((done) => {
          const timer = setTimeout(done, limitMs)
          wake = () => {
            clearTimeout(timer)
            done()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
      cancel()
    },
  }
}
