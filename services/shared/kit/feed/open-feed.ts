// Opens the invalidation feed of a service that keeps tagged data and publishes no changes.

import type { InvalidationMessage } from '../../wire/invalidation.ts'
import type { Log } from '../observe/log.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { createFeed, type Feed } from './feed.ts'
import type { GenerationReader } from './generations.ts'
import { createSqliteGenerations } from './sqlite-generations.ts'

export interface FeedStore {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
}

/**
 * Follows the marks in the state Redis, or without one in a file of `dataDir`. `name` is that of the connections in Redis.
 */
export async function openFeed(store: FeedStore, name: string, log: Log): Promise<Feed> {
  const reader = await openMarks(store, name, (message) => feed.apply(message))
  const feed = createFeed({ reader, log })
  return feed
}

/**
 * Reads the same marks for the feeds of other processes. `onMessage` receives the messages of the channel. Loads the Redis
 * client only if needed.
 */
export async function openMarks(
  { stateRedisUrl, dataDir }: FeedStore,
  name: string,
  onMessage: (message: InvalidationMessage) => void,
): Promise<GenerationReader> {
  if (!stateRedisUrl) return createSqliteGenerations({ dataDir, now: Date.now })
  const { createRedisGenerationReader } = await import('./redis-generations.ts')
  const { subscribeToInvalidations } = await import('./subscribe.ts')
  const reader = createRedisGenerationReader(stateRedisUrl, name)
  const unsubscribe = subscribeToInvalidations(stateRedisUrl, `${name}-subscriber`, onMessage)
  return {
    read: reader.read,
    close() {
      unsubscribe()
      reader.close()
    },
  }
}
