// Opens the page cache of one gateway process: its requests to renderers, its memory (C1, C5).

import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { PAGE_FIRST_BYTE_MS } from '@portico/shared/wire/constants.ts'
import type { Registry } from '@prometheus-io/client'
import { isReadyOf, type Replicas } from '../replicas/replicas.ts'
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.ts'
import { createEntryClient } from './entry-request.ts'
import { largestEntry } from './memory.ts'
import { createPageCache, type PageCache } from './page-cache.ts'
import { warmPageCache } from './warm-cache.ts'

export interface OpenedPageCache {
  cache: PageCache
  metrics: CacheMetrics
  /** Fills what the ready renderers know; never rejects. */
  warm(): Promise<void>
  close(): void
}

export interface PageCacheOptions {
  /** Closed with the cache. */
  feed: Feed
  token: () => string | undefined
  limitBytes: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  /** Time limit for the beginning of an entry. */
  timeoutMs?: number
  /** Bytes of all entries that are being read. */
  readingLimitBytes?: number
  /** The build that this gateway serves. */
  build: string
  replicas: Replicas
  registry: Registry
  log: Log
}

/** Without the token every page passes through the proxy. */
export function openPageCache(options: PageCacheOptions): OpenedPageCache {
  const { build, limitBytes, readingLimitBytes, replicas, feed, token, registry, log } = options
  const { now = () => performance.now(), timeoutMs = PAGE_FIRST_BYTE_MS } = options
  const client = createEntryClient({
    replicas,
    token,
    timeoutMs,
    limitBytes: largestEntry(limitBytes),
    ...(readingLimitBytes !== undefined && { readingLimitBytes }),
  })
  const cache = createPageCache({
    build,
    limitBytes,
    replicas,
    feed,
    client,
    log,
    now,
    onTooLarge: () => metrics.tooLarge(),
  })
  const metrics = createCacheMetrics({ registry, figures: cache.figures, feed })
  return {
    cache,
    metrics,
    async warm() {
      // Without the marks each fill would be for nothing.
      await feed.confirm()
      const renderers = () => replicas.list().filter((each) => isReadyOf(each, build, performance.now()))
      await warmPageCache({ cache, client, renderers, log })
    },
    close() {
      client.close()
      feed.close()
    },
  }
}
