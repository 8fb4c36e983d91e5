// Opens the page cache of one gateway process: its feed, its requests to renderers, its memory (C1, C5).

import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import type { InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { Registry } from 'prom-client'
import type { Replicas } from '../replicas/replicas.ts'
import type { StackToken } from '../stack-token.ts'
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.ts'
import { createEntryClient } from './fill/entry-request.ts'
import { isReadyOf } from './home.ts'
import { largestEntry } from './memory.ts'
import { createPageCache, type PageCache } from './page-cache.ts'
import { warmPageCache } from './warm-cache.ts'

/** Longer than the renderer's own limit for a render, so that its response explains the delay. */
const FILL_TIMEOUT_MS = 15_000

export interface OpenedPageCache {
  cache: PageCache
  metrics: CacheMetrics
  routes: InnerRoute[]
  /** Fills what the ready renderers know; never rejects. */
  warm(): Promise<void>
  close(): void
}

export interface PageCacheOptions {
  stateRedisUrl: RedisUrl | undefined
  dataDir: string
  token: StackToken
  limitBytes: number
  /** The build that this gateway serves. */
  build: string
  replicas: Replicas
  registry: Registry
  log: Log
}

/** Does not reject: without the token every page passes through the proxy. */
export async function openPageCache(options: PageCacheOptions): Promise<OpenedPageCache> {
  const { build, limitBytes, replicas, token, registry, log } = options
  const feed = await openFeed(options, 'portico-gateway', log)
  const client = createEntryClient({
    replicas,
    token: token.get,
    timeoutMs: FILL_TIMEOUT_MS,
    limitBytes: largestEntry(limitBytes),
  })
  const cache = createPageCache({
    build,
    limitBytes,
    replicas,
    feed,
    client,
    log,
    onTooLarge: () => metrics.tooLarge(),
  })
  const metrics = createCacheMetrics({ registry, figures: cache.figures, feed })
  return {
    cache,
    metrics,
    routes: [createInvalidationRoute(feed)],
    async warm() {
      // Without the marks each fill would be for nothing.
      await feed.confirm()
      const renderers = () => replicas.list().filter((each) => isReadyOf(build, each))
      await warmPageCache({ cache, client, renderers, log })
    },
    close() {
      client.close()
      feed.close()
    },
  }
}
