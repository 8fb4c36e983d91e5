// Opens the invalidation feed of a service that keeps tagged data and publishes no changes.

import type { Log } from '../observe/log.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { createFeed, type Feed } from './feed.ts'
import { createSqliteGenerations } from './sqlite-generations.ts'

export interface FeedStore {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
}

/**
 * Follows the marks in the state Redis, or without one in a file of `dataDir`. Loads the Redis client only if needed.
 * `name` is that of the connections in Redis.
 */
export async function openFeed({ stateRedisUrl, dataDir }: FeedStore, name: string, log: Log): Promise<Feed> {
  if (!stateRedisUrl) return createFeed({ reader: createSqliteGenerations({ dataDir, now: Date.now }), log })
  const { createRedisGenerationReader } = await import('./redis-generations.ts')
  const { subscribeToInvalidations } = await import('./subscribe.ts')
  const feed = createFeed({ reader: createRedisGenerationReader(stateRedisUrl, name), log })
  const unsubscribe = subscribeToInvalidations(stateRedisUrl, `${name}-subscriber`, feed.apply)
  return {
    ...feed,
    close() {
      unsubscribe()
      feed.close()
    },
  }
}
