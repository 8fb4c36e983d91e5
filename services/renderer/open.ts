// Opens the renderer: every part between its settings and its handlers. What time, network, disk or the site's code
// decides is a part, which a test replaces:
//
//   const opened = await openRenderer(config, log, { site: { dir, manifest, bundle, publicEnv }, feed, now: () => time })

import { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import { enterAppFolder } from '@portico/shared/kit/config/app-build.ts'
import { readPolicies } from '@portico/shared/kit/config/policies.ts'
import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { createFeed, type Feed } from '@portico/shared/kit/feed/feed.ts'
import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import { createSiteFetch } from '@portico/shared/kit/http/site-fetch.ts'
import { type AfterTasks, createAfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import { type Log, withMappedStacks } from '@portico/shared/kit/observe/log.ts'
import { addFeedMetrics, createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { createStackMapper, type MapStack } from '@portico/shared/kit/observe/site/map-stacks.ts'
import { surviveStrayErrors } from '@portico/shared/kit/observe/stray-errors.ts'
import { createBoundArgs } from '@portico/shared/kit/secrets/bound-args.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import { createRendererApp } from './app.ts'
import { createMemoryPageCache, NO_PAGE_CACHE, type PageCache } from './cache/cache.ts'
import type { RendererConfig } from './config.ts'
import { createInnerRoutes } from './inner/inner.ts'
import { createPageCacheCounter } from './metrics.ts'
import { createPageRenderer } from './pages/pages.ts'
import { openPrerendered } from './prerendered/prerendered.ts'
import { createCrawlerTest } from './resolve/resolve.ts'
import {
  type OpenedSite,
  openBuiltSite,
  type ServedSite,
  type ServeState,
  type SiteState,
  siteOf,
} from './site/site.ts'

/** Bytes of pages kept in this process; a container of 512 MB has room for them next to Node and the bundle. */
const PAGE_CACHE_LIMIT_BYTES = 64 * 1024 * 1024

/** Bytes of data that `cached` of portico/server keeps. */
const DATA_CACHE_LIMIT_BYTES = 32 * 1024 * 1024

/** What a test may replace; each has the default of production. */
export interface RendererParts {
  /** Milliseconds, only for differences. */
  now?: () => number
  /** Instead of the build of APP_DIR, or its sources under development. */
  site?: SiteState
  /** Instead of marks in STATE_REDIS_URL or DATA_DIR. */
  feed?: Feed
  cache?: PageCache | undefined
}

export interface OpenedRenderer extends Opened, Pick<ServedSite, 'pages'> {
  after: AfterTasks
  cache: PageCache
}

/** Under development nothing is kept, and no gateway is asked about middleware. */
export async function openRenderer(
  config: RendererConfig,
  serviceLog: Log,
  parts: RendererParts = {},
): Promise<OpenedRenderer> {
  const { now = () => performance.now() } = parts
  const { isDevelopment, publicOrigins, host, port } = config
  const mapStack = createStackMapper(config.appDir)
  const log = withMappedStacks(serviceLog, mapStack)
  const site: OpenedSite = parts.site ? siteOf(parts.site, log) : await openSite(config, log, mapStack)
  const feed = parts.feed ?? (isDevelopment ? createFeed({ log }) : await openFeed(config, 'portico-renderer', log))
  const kept = isDevelopment ? NO_PAGE_CACHE : createMemoryPageCache({ limitBytes: PAGE_CACHE_LIMIT_BYTES, feed })
  const cache = parts.cache ?? kept
  const dataCache = isDevelopment ? undefined : createDataCache({ feed, limitBytes: DATA_CACHE_LIMIT_BYTES })
  const metrics = createMetrics('renderer', site.buildId)
  addFeedMetrics(metrics, feed)
  const countVerdict = createPageCacheCounter(metrics)
  const secrets = await openSecrets(config, log)
  const cookieSeals = createCookieSeals({ keyring: secrets.keys, now: () => Date.now(), log })
  const after = createAfterTasks(site.log)

  /** Under development called again after each change. */
  const serve: ServeState = async (state) => {
    const { manifest, publicEnv } = state
    const { basePath, csp } = manifest
    const pages = createPageRenderer({
      ...state,
      after,
      cache,
      feed,
      prerendered: await openPrerendered(state, { feed, publicEnvHash: publicEnv.hash, log }),
      dataCache,
      policies: readPolicies(csp, publicEnv.values),
      signBound: createBoundArgs(secrets.keys).sign,
      fetchSite: createSiteFetch({
        actionsUrl: inTurn(config.actionsUrls.map(({ origin }) => origin + basePath)),
        siteUrl: () => config.siteUrl.origin + basePath,
      }),
      publicOrigin: publicOrigins[0],
      log: site.log,
      now,
      countVerdict,
    })
    const isGuarded = isDevelopment ? undefined : createAnyGuarded(manifest)
    const app = { isCrawler: createCrawlerTest(), ...state, pages, cookieSeals, log, isGuarded, publicOrigins }
    return {
      pages,
      listener: { handler: createRendererApp(app) },
      inner: { version: pages.version, routes: createInnerRoutes({ manifest, pages, cookieSeals, feed }) },
    }
  }
  const { listener, inner, ...served } = await site.open(serve, { cookieSeals, after })

  return {
    ...served,
    cache,
    listeners: [{ name: 'public', host, port, ...listener }],
    inner: { host: config.innerHost, port: config.innerPort, token: secrets.token, metrics, ...inner },
    after,
    close: async () => {
      secrets.close()
      feed.close()
      await site.close?.()
    },
    maxConnections: config.maxConnections,
    drain: { delayMs: isDevelopment ? 0 : config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  }
}

/** Loads the code of the site, which has this process for itself. */
async function openSite(config: RendererConfig, log: Log, mapStack: MapStack): Promise<OpenedSite> {
  surviveStrayErrors(log)
  if (!config.isDevelopment) return openBuiltSite(config, log, mapStack)
  enterAppFolder(config)
  const { openDevSite } = await import('./dev/dev.ts')
  return openDevSite(config, log)
}

/** Each call returns the next of one or more values. */
function inTurn(values: readonly string[]): () => string {
  let turn = 0
  return () => values[turn++ % values.length]!
}
