// Opens the page cache of one gateway process: its feed, its requests to renderers, its memory (C1, C5).

import { loadSecret } from '@portico/shared/kit/config/secrets.ts'
import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import type { InnerRoute } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Registry } from 'prom-client'
import type { Replicas } from '../replicas/replicas.ts'
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.ts'
import { createEntryClient } from './fill/entry-request.ts'
import { isReadyOf } from './home.ts'
import { largestEntry } from './memory.ts'
import { createPageCache, type PageCache } from './page-cache.ts'
import { warmPageCache } from './warm-cache.ts'

/** Longer than the renderer's own limit for a render, so that its response explains the delay. */
const FILL_TIMEOUT_MS = 15_000
/** Pause between two attempts to read the token, and the time limit of one. */
const TOKEN_PAUSE_MS = 1000

export interface OpenedPageCache {
  cache: PageCache
  metrics: CacheMetrics
  /** For the inner port; undefined while the state store has not been read. */
  token(): string | undefined
  routes: InnerRoute[]
  /** Fills what the ready renderers know; never rejects. */
  warm(): Promise<void>
  close(): void
}

export interface PageCacheOptions {
  stateRedisUrl: URL | undefined
  dataDir: string
  stackToken: string | undefined
  limitBytes: number
  /** The build that this gateway serves. */
  build: string
  replicas: Replicas
  /** The renderer's inner port. */
  innerUrl: URL
  registry: Registry
  log: Log
}

/** Does not reject: without the token every page passes through the proxy. */
export async function openPageCache(options: PageCacheOptions): Promise<OpenedPageCache> {
  const { build, limitBytes, replicas, innerUrl, registry, log } = options
  const token = await followToken(options)
  const feed = await openFeed(options, 'portico-gateway', log)
  const innerPort = Number(innerUrl.port) || 80
  const client = createEntryClient({
    replicas,
    innerPort,
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
  const metrics = createCacheMetrics({ registry, figures: cache.figures, isConfirmed: feed.isConfirmed })
  return {
    cache,
    metrics,
    token: token.get,
    routes: [createInvalidationRoute(feed)],
    async warm() {
      // Without the marks each fill would be for nothing.
      await feed.confirm()
      const renderers = () => replicas.list().filter((each) => isReadyOf(build, each))
      await warmPageCache({ cache, client, renderers, log })
    },
    close() {
      token.close()
      client.close()
      feed.close()
    },
  }
}

/** Reads the token of the stack once, as soon as the state store responds; resolves after the first attempt. */
async function followToken({ stackToken, stateRedisUrl, dataDir, log }: PageCacheOptions) {
  let token = stackToken
  let timer: NodeJS.Timeout | undefined
  const attempt = async (): Promise<void> => {
    try {
      token ??= await loadSecret('stack-token', { stateRedisUrl, dataDir, waitMs: TOKEN_PAUSE_MS })
    } catch (error) {
      log.warn({ event: 'page-cache-waits', error }, 'page cache waits for the state store')
      timer = setTimeout(attempt, TOKEN_PAUSE_MS).unref()
    }
  }
  await attempt()
  return { get: () => token, close: () => clearTimeout(timer) }
}
