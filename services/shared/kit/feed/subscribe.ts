// Takes messages of the invalidation channel of the state Redis. A message that is lost while there is no connection is
// found by the next read of the marks.

import { INVALIDATION_CHANNEL, type InvalidationMessage, parseInvalidation } from '../../wire/invalidation.ts'
import { parseJson } from '../../wire/json/json-value.ts'
import { connectSubscriber } from '../store/redis.ts'
import type { RedisUrl } from '../store/redis-address.ts'

/** Connects in the background; does not throw or wait while Redis is unavailable. Returns a function that disconnects. */
export function subscribeToInvalidations(
  url: RedisUrl,
  connectionName: string,
  onMessage: (message: InvalidationMessage) => void,
): () => void {
  const redis = connectSubscriber(url, connectionName)
  // The reads of the marks report an unavailable store.
  redis.on('error', () => {})
  redis.on('ready', () => void redis.subscribe(INVALIDATION_CHANNEL).catch(() => redis.disconnect(true)))
  redis.on('message', (_channel: string, text: string) => {
    const message = parseInvalidation(parseJson(text))
    // A malformed message on a shared channel is not the reader's fault.
    if (typeof message !== 'string') onMessage(message)
  })
  return () => redis.disconnect()
}
