// Follows secrets in the state Redis through a connection of its own: a check each second and after each reconnect (O10).

import { withoutArguments } from '../observe/error-fields.ts'
import type { Log } from '../observe/log.ts'
import { connectRedis, type RedisClient } from '../store/redis.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { createHolder, type Holder, type SecretPlace } from './holder.ts'

export type SecretName = 'stack-token' | 'action-key'

/** Pause between two checks; while a secret is missing, another service may have written it back any moment. */
const CHECK_MS = 1000
const MISSING_CHECK_MS = 100

export interface Follower<Name extends SecretName> {
  rings: Readonly<Record<Name, Holder>>
  /** Resolves when all secrets are known. Rejects with the last fault, if there is one after `waitMs` and later. */
  known(waitMs: number): Promise<void>
  /** Resolves after the first check, or after `waitMs`. */
  checked(waitMs: number): Promise<void>
  close(): void
}

/** `names` are those that the Redis user of the service may read and write. */
export function followSecrets<const Name extends SecretName>(
  names: readonly Name[],
  url: RedisUrl,
  log: Log,
): Follower<Name> {
  const redis = connectRedis(url, 'once', { connectionName: 'portico-secrets' })
  let connectionFault = ''
  const followed = names.map((name) => follow(name, redis, log))
  let listeners: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let isClosed = false

  const run = async () => {
    if (isRunning) return
    clearTimeout(timer)
    isRunning = true
    await Promise.all(followed.map((each) => each.check()))
    isRunning = false
    const isKnown = followed.every(({ holder }) => holder.current() !== undefined)
    if (!isClosed) timer = setTimeout(run, isKnown ? CHECK_MS : MISSING_CHECK_MS)
    for (const listener of listeners) listener()
  }
  redis.on('error', (error) => {
    connectionFault = ` (${error.message})`
  })
  redis.on('ready', run)
  // A fault is reported only if the connection is not open by then.
  timer = setTimeout(run, CHECK_MS)

  /** Resolves at the first check after which `isOver` returns true; `isOver` may throw. */
  const until = (isOver: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const listener = () => {
        try {
          if (!isOver()) return
          resolve()
        } catch (error) {
          reject(error)
        }
        listeners = listeners.filter((each) => each !== listener)
      }
      listeners = [...listeners, listener]
    })
  return {
    // Each name has its holder.
    rings: Object.fromEntries(followed.map(({ name, holder }) => [name, holder])) as Record<Name, Holder>,
    known(waitMs) {
      const end = performance.now() + waitMs
      return until(() => {
        const unknown = followed.filter(({ holder }) => holder.current() === undefined)
        const failed = unknown.find(({ fault }) => fault() !== undefined)
        if (!failed || performance.now() < end) return unknown.length === 0
        throw unreadable(failed.name, url, failed.fault(), connectionFault)
      })
    },
    checked(waitMs) {
      const end = performance.now() + waitMs
      return until(() => followed.every(({ fault }) => fault() === undefined) || performance.now() >= end)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      redis.disconnect()
    },
  }
}

/** Names the store without the address, which may contain a password. */
export function unreadable(name: SecretName, url: RedisUrl, cause: unknown, connectionFault: string): Error {
  const reason = withoutArguments(cause instanceof Error ? cause.message : String(cause))
  return new Error(
    `${name} cannot be read from the state store ${url.host} (STATE_REDIS_URL): ${reason}${connectionFault}`,
    { cause },
  )
}

/** One secret of a connection, with the fault of its last check. */
function follow<Name extends SecretName>(name: Name, redis: RedisClient, log: Log) {
  const holder = createHolder({ secret: name, place: placeIn(redis, name), now: Date.now, log })
  let fault: Error | undefined
  const report = (error: Error) => {
    const isKnown = holder.current() !== undefined
    // One line for each time that the store is unavailable.
    if (!fault)
      log.warn(
        { event: isKnown ? 'secret-unchecked' : `${name}-unknown`, secret: name, error },
        isKnown ? 'secret not compared with the state store' : 'secret not read from the state store',
      )
    fault = error
  }
  return {
    name,
    holder,
    fault: () => fault,
    async check() {
      try {
        if (redis.status !== 'ready') throw new Error('no response in time')
        await holder.check()
        fault = undefined
      } catch (error) {
        // Only Redis and the holder throw here.
        report(error as Error)
      }
    },
  }
}

/** The place of a secret in the state Redis. */
export function placeIn(redis: RedisClient, secret: SecretName): SecretPlace {
  const key = `portico:secret:${secret}`
  return {
    name: key,
    read: () => redis.get(key),
    write: (text) => redis.set(key, text),
    create: (text) => redis.set(key, text, 'NX'),
  }
}
