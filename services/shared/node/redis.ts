// Opens all connections to Redis.

import { Redis, type RedisOptions } from 'ioredis'

/** Opens a connection as the user in the address. The caller listens to `error`. */
export function connectRedis(url: URL, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  // The users in docker-compose.yml may not call CLIENT SETINFO.
  const redis = new Redis(url.href, { disableClientInfo: true, ...options })
  // SECURITY: ioredis keeps the arguments of a refused AUTH in its error, and a log could write every member of an
  // error.
  redis.on('error', (error: Error & { command?: unknown }) => {
    delete error.command
  })
  return redis
}
