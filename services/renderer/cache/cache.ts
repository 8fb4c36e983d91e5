// The page cache of this process: HTML and page data of a page as one atomic entry (D5), bounded by bytes. An entry that a
// revalidation names is never returned, nor stored if its render began before the revalidation (D6): the invalidation feed
// decides. When an entry is stale by age, and who renders it again, is left to pages/.

import type { AsOf, Feed } from '@portico/shared/kit/feed/feed.ts'
import type { RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import type { FeedPosition } from '@portico/shared/wire/invalidation.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import { pagePath } from '@portico/shared/wire/routing/page-path.ts'
import { LRUCache } from 'lru-cache'

export interface CachedPage {
  kind: 'page'
  html: Buffer
  htmlEtag: string
  data: Buffer
  dataEtag: string
  /** The policy of the HTML names the scripts of these very bytes. */
  policy?: PolicyHeader | undefined
}

export type CachedOutcome =
  | CachedPage
  | { kind: 'not-found' }
  | { kind: 'redirect'; location: string; status: RedirectStatus }

export interface CacheEntry {
  outcome: CachedOutcome
  /** Milliseconds of the cache's clock. */
  storedAt: number
  /** An older entry is shown once more and refreshed in the background; undefined: never stale by age. */
  freshForMs: number | undefined
  tags: readonly string[]
  /** The render began after this position, which the renderer itself had not reached. */
  after?: FeedPosition | undefined
}

export interface PageCache {
  /** The entry; undefined for a missing or revalidated one. */
  get(key: string): CacheEntry | undefined
  /** Whether the last entry of the key was dropped because its path or tags were revalidated. */
  wasRevalidated(key: string): boolean
  /** Stores a render that began at `asOf`; refused if its path or tags were revalidated since (D6). */
  set(key: string, path: string, entry: CacheEntry, asOf: AsOf): boolean
}

/** A cache that keeps nothing: an author wants to see the current page. */
export const NO_PAGE_CACHE: PageCache = { get: () => undefined, wasRevalidated: () => false, set: () => true }

/** Overhead of an entry in addition to its bytes: key, ETags, map slots. Measured on 10 000 entries. */
const ENTRY_OVERHEAD_BYTES = 1024

/** Keys of revalidated entries that are remembered until they are rendered again. */
const MAX_REVALIDATED = 10_000

interface Slot {
  entry: CacheEntry
  path: string
  asOf: AsOf
}

interface PageCacheDeps {
  limitBytes: number
  feed: Pick<Feed, 'isCurrent'>
}

/** A cache in this process, bounded by bytes. */
export function createMemoryPageCache({ limitBytes, feed }: PageCacheDeps): PageCache {
  const slots = new LRUCache<string, Slot>({
    maxSize: limitBytes,
    sizeCalculation: ({ entry: { outcome } }) =>
      ENTRY_OVERHEAD_BYTES + (outcome.kind === 'page' ? outcome.html.length + outcome.data.length : 0),
  })
  const revalidated = new LRUCache<string, true>({ max: MAX_REVALIDATED })
  return {
    wasRevalidated: (key) => revalidated.has(key),
    get(key) {
      const slot = slots.get(key)
      if (!slot) return undefined
      if (!feed.isCurrent(slot.asOf, slot.path, slot.entry.tags)) {
        slots.delete(key)
        revalidated.set(key, true)
        return undefined
      }
      return slot.entry
    },
    set(key, givenPath, entry, asOf) {
      const path = pagePath(givenPath)
      if (!feed.isCurrent(asOf, path, entry.tags)) {
        revalidated.set(key, true)
        return false
      }
      revalidated.delete(key)
      slots.set(key, { entry, path, asOf })
      return true
    },
  }
}
