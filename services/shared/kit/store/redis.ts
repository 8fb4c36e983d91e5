// Opens all connections to Redis: one table of profiles, in which only what differs is named.

import { Redis, type RedisOptions } from 'ioredis'
import { isTracing } from '../observe/tracing.ts'

type Options = Omit<RedisOptions, 'replyMapping'>

/** While Redis is unavailable a command fails immediately: it is neither queued nor sent again. */
const COMMON = {
  // The users in docker-compose.yml may not call CLIENT SETINFO.
  disableClientInfo: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  retryStrategy: (attempt: number) => Math.min(100 * attempt, 1000),
} satisfies Options

/** `isPipelined`: commands of one turn of the event loop are sent together. */
const PROFILES = {
  /** Secrets at start: Redis may start later than the services, so commands wait. */
  secrets: { commandTimeout: 15_000, enableOfflineQueue: true, maxRetriesPerRequest: null },
  /** Submissions; a frozen Redis must count as unavailable. */
  state: { commandTimeout: 1000, isPipelined: true },
  /** Files of other builds. */
  files: { commandTimeout: 1000 },
  /**
   * Invalidations and purges. With RESP2 published messages arrive as plain replies. The subscriber subscribes again
   * itself, because it must know from when on it receives messages.
   */
  feed: { commandTimeout: 2000, protocol: 2, autoResubscribe: false },
  /** Small commands of the image cache. A command for which no request waits any more ends after its time limit. */
  cache: { commandTimeout: 2000, protocol: 2, isPipelined: true },
  /** Commands of the image cache that carry images. */
  blobs: { commandTimeout: 2000, protocol: 2 },
} as const satisfies Record<string, Options & { isPipelined?: boolean }>

/** Opens a connection as the user in the address, in the background. The caller listens to `error`. */
export function connectRedis(url: URL, profile: keyof typeof PROFILES, overrides: Options = {}): Redis {
  const { isPipelined, ...options }: Options & { isPipelined?: boolean } = PROFILES[profile]
  // A pipeline belongs to the trace of its first request, which would then contain the commands of other requests.
  const enableAutoPipelining = isPipelined === true && !isTracing()
  return new Redis(url.href, { ...COMMON, enableAutoPipelining, ...options, ...overrides })
}

/** Resolves with true when the connection is open, with false after `waitMs`. */
export function isReadyWithin(redis: Redis, waitMs: number): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true)
  return new Promise((resolve) => {
    const onReady = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      redis.off('ready', onReady)
      resolve(false)
    }, waitMs)
    redis.once('ready', onReady)
  })
}
