// The one place that opens connections to Redis.

import { Redis, type RedisOptions } from 'ioredis'

/** Opens a connection as the user that the address names. The caller listens to `error`. */
export function connectRedis(url: URL, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  // A service may not use CLIENT SETINFO (docker-compose.yml lists what it may use).
  const redis = new Redis(url.href, { disableClientInfo: true, ...options })
  // SECURITY: ioredis keeps the arguments of a refused AUTH in its error, and a log writes every member of an error.
  redis.on('error', (error: Error & { command?: unknown }) => {
    delete error.command
  })
  return redis
}
