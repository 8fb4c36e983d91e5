// Runs that fill a cache and that several requests share (D5, C8).

import type { FeedPosition } from '../../wire/invalidation.ts'
import type { AsOf, Feed } from '../feed/feed.ts'

/**
 * Returns a function that runs once per key and moment of the invalidation feed: a request after a change must not
 * receive an earlier run. `after` is a position that this process does not know: a run from before may lack what the
 * position contains.
 */
export function createSharedRuns<T>(feed: Pick<Feed, 'asOf'>) {
  const running = new Map<string, Promise<T>>()

  return function runOnce(key: string, run: (asOf: AsOf) => Promise<T>, after?: FeedPosition): Promise<T> {
    const asOf = feed.asOf()
    const known = `${asOf.era} ${asOf.generation} ${asOf.unordered}`
    const runKey = `${known} ${after ? `${after.epoch} ${after.generation} ` : ''}${key}`
    const joined = running.get(runKey)
    if (joined) return joined
    const shared = run(asOf).finally(() => running.delete(runKey))
    running.set(runKey, shared)
    return shared
  }
}
