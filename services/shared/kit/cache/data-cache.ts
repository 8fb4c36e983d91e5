// Data that code of the site keeps by `cached` of portico/server (C8): in this process, bounded by bytes, obeying the
// invalidation feed.

import { LRUCache } from 'lru-cache'
import type { CachedData, DataCache, KeptData } from '../../wire/bundles.ts'
import type { FeedPosition } from '../../wire/invalidation.ts'
import type { AsOf, Feed } from '../feed/feed.ts'
import { createSharedRuns } from './shared-runs.ts'

/** Overhead of a value in addition to its text: key, tags, map slots. */
const OVERHEAD_BYTES = 512

interface Slot extends KeptData {
  asOf: AsOf
  storedAt: number
}

interface DataCacheDeps {
  feed: Pick<Feed, 'asOf' | 'isCurrent' | 'confirm'>
  limitBytes: number
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** What one request may see. */
interface RequestView {
  /** What is returned contains every change up to this position. */
  needed?: FeedPosition | undefined
  /** Tags that the request itself has revalidated and not yet published. */
  ownTags?: ReadonlySet<string> | undefined
}

/** Creates the view of a request on the process's cache. */
export function createDataCache({ feed, limitBytes, now = () => performance.now() }: DataCacheDeps) {
  const slots = new LRUCache<string, Slot>({
    maxSize: limitBytes,
    maxEntrySize: Math.floor(limitBytes / 16),
    sizeCalculation: ({ json }, key) => OVERHEAD_BYTES + 2 * (json.length + key.length),
  })
  const runOnce = createSharedRuns<KeptData>(feed)

  const loadOnce = (key: string, data: CachedData, after?: FeedPosition): Promise<KeptData> => {
    const load = async (asOf: AsOf) => {
      const kept = await data.load()
      if (feed.isCurrent(asOf, '', kept.tags)) slots.set(key, { ...kept, asOf, storedAt: now() })
      return kept
    }
    return runOnce(key, load, after)
  }

  const isFresh = (slot: Slot, { revalidateSeconds }: CachedData): boolean =>
    feed.isCurrent(slot.asOf, '', slot.tags) &&
    (revalidateSeconds === undefined || now() - slot.storedAt <= revalidateSeconds * 1000)

  return function viewOf({ needed, ownTags }: RequestView): DataCache {
    return {
      async read(key, data) {
        // What this request changed is marked only after the request.
        const isOwn = (tags: readonly string[]) => tags.some((tag) => ownTags?.has(tag))
        if (isOwn(data.tags)) return data.load()
        const after = (await feed.confirm(needed)) === 'behind' ? needed : undefined
        const slot = after ? undefined : slots.get(key)
        if (slot && isOwn(slot.tags)) return data.load()
        return slot && isFresh(slot, data) ? slot : loadOnce(key, data, after)
      },
    }
  }
}
