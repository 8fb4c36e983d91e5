// Opens the invalidation feed of a service that keeps tagged data and publishes no changes.

import type { InvalidationMessage } from '../../wire/invalidation.ts'
import type { Log } from '../observe/log.ts'
import type { RedisUrl } from '../store/redis-address.ts'
import { createFeed, type Feed } from './feed.ts'
import type { GenerationReader } from './generations.ts'
import { createSqliteGenerations } from './sqlite-generations.ts'

interface FeedStore {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
}

/**
 * Follows the marks in the state Redis, or without one in a file of `dataDir`. `name` is that of the connections in Redis.
 */
export async function openFeed(store: FeedStore, name: string, log: Log): Promise<Feed> {
  const feed = createFeed({ reader: await openMarks(store, name), log })
  const channel = await openChannel(store, name, feed.apply)
  return {
    ...feed,
    close() {
      channel.close()
      feed.close()
    },
  }
}

/** Reads the same marks. Loads the Redis client only if needed. */
export async function openMarks({ stateRedisUrl, dataDir }: FeedStore, name: string): Promise<GenerationReader> {
  if (!stateRedisUrl) return createSqliteGenerations({ dataDir, now: Date.now })
  const { createRedisGenerationReader } = await import('./redis-generations.ts')
  return createRedisGenerationReader(stateRedisUrl, name)
}

/** Takes the messages of the channel of the state Redis; without one there is none. */
export async function openChannel(
  { stateRedisUrl }: Pick<FeedStore, 'stateRedisUrl'>,
  name: string,
  onMessage: (message: InvalidationMessage) => void,
): Promise<{ close(): void }> {
  if (!stateRedisUrl) return { close() {} }
  const { subscribeToInvalidations } = await import('./subscribe.ts')
  return { close: subscribeToInvalidations(stateRedisUrl, `${name}-subscriber`, onMessage) }
}
