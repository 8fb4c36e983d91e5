// Connects the parts of the renderer and starts the service: build, secrets, page cache, ports.

import { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import { enterAppFolder, loadAppBuild, loadServerBundle } from '@portico/shared/kit/config/app-build.ts'
import { readPolicies } from '@portico/shared/kit/config/policies.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import { createAfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import { createSiteModules, readinessFaults, type SiteModules } from '@portico/shared/kit/life/site-modules.ts'
import { type Log, withMappedStacks } from '@portico/shared/kit/observe/log.ts'
import { addFeedMetrics, createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { createStackMapper } from '@portico/shared/kit/observe/site/map-stacks.ts'
import { surviveStrayErrors } from '@portico/shared/kit/observe/stray-errors.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { createBoundArgs } from '@portico/shared/kit/store/bound-args.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import { createRendererApp } from './app.ts'
import { createMemoryPageCache } from './cache/page-cache.ts'
import { createPageCacheCounter } from './cache/page-cache-metrics.ts'
import type { RendererConfig } from './config.ts'
import { createInnerRoutes } from './inner-routes.ts'
import { createLiveBuilds, type LiveBuilds, NO_OTHER_BUILDS } from './live-builds.ts'
import { openPrerendered } from './prerender/prerendered.ts'
import { createPageRenderer } from './render/render-page.ts'
import { createCrawlerTest } from './resolve/crawlers.ts'
import { openSiteBundle } from './site-bundle.ts'

/** Bytes of pages kept in this process; a container of 512 MB has room for them next to Node and the bundle. */
const PAGE_CACHE_LIMIT_BYTES = 64 * 1024 * 1024

/** Bytes of data that `cached` of portico/server keeps. */
const DATA_CACHE_LIMIT_BYTES = 32 * 1024 * 1024

/** Starts the service. */
export async function start(config: RendererConfig, serviceLog: Log): Promise<Service> {
  const mapStack = createStackMapper(config.appDir)
  const log = withMappedStacks(serviceLog, mapStack)
  surviveStrayErrors(log)
  if (config.isDevelopment) {
    enterAppFolder(config)
    const { startDevServer } = await import('./dev/dev-server.ts')
    return startDevServer(config, log)
  }
  const build = await loadAppBuild(config.appDir)
  enterAppFolder(config)
  const { manifest } = build
  const { publicEnv, env } = readSiteEnvironment(manifest, config.environment)
  provideEnv(env)
  const modules = createSiteModules({ log })
  const site = await openSiteBundle(manifest, () => loadServerBundle(build), modules)
  const { bundle } = site
  const onRequestError = await startInstrumentation(bundle.instrumentation, log, mapStack)
  const feed = await openFeed(config, 'portico-renderer', log)
  const cache = createMemoryPageCache({ limitBytes: PAGE_CACHE_LIMIT_BYTES, feed })
  const metrics = createMetrics('renderer', manifest.buildId)
  addFeedMetrics(metrics, feed)
  const prerendered = await openPrerendered(build, { feed, publicEnvHash: publicEnv.hash, log })
  const secrets = await openSecrets(config, log)
  const { stateRedisUrl } = config
  const live = stateRedisUrl ? createLiveBuilds(stateRedisUrl, manifest.buildId, log) : NO_OTHER_BUILDS
  const after = createAfterTasks(log)
  const cookieSeals = createCookieSeals({ keyring: secrets.keys, now: () => Date.now(), log })
  const pages = createPageRenderer({
    after,
    manifest,
    bundle,
    cache,
    publicEnv,
    feed,
    prerendered,
    dataCache: createDataCache({ feed, limitBytes: DATA_CACHE_LIMIT_BYTES }),
    onRequestError,
    policies: readPolicies(manifest.csp, publicEnv.values),
    signBound: createBoundArgs(secrets.keys).sign,
    actionsUrl: inTurn(config.actionsUrls.map(({ origin }) => origin + manifest.basePath)),
    siteUrl: config.siteUrl.origin + manifest.basePath,
    publicOrigin: config.publicOrigins[0],
    log,
    now: () => performance.now(),
    countVerdict: createPageCacheCounter(metrics),
  })
  const service = await startService({
    log,
    listeners: [
      {
        name: 'public',
        host: config.host,
        port: config.port,
        handler: createRendererApp({
          manifest,
          pages,
          cookieSeals,
          log,
          isCrawler: createCrawlerTest(),
          isGuarded: createAnyGuarded(manifest),
          publicOrigins: config.publicOrigins,
        }),
      },
    ],
    inner: {
      host: config.innerHost,
      port: config.innerPort,
      version: pages.version,
      faults: () => readinessFaults(modules.faults()),
      token: secrets.token,
      routes: createInnerRoutes({ manifest, pages, cookieSeals, feed }),
      metrics,
    },
    warm: async () => {
      await site.load(publicEnv.values)
      await leaveToOthers(modules, live)
    },
    onDrain: () => live.close(),
    after,
    close: async () => {
      live.close()
      secrets.close()
      feed.close()
    },
    maxConnections: config.maxConnections,
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  })
  live.announce()
  // Runs behind the first requests: a page may read data of a service that has not started yet.
  void pages.warm().then((count) => log.info({ event: 'warmed', pages: count }, 'page cache warmed'))
  return service
}

/**
 * Rejects, so that the service is not ready, while a module cannot be loaded and a ready renderer of another build serves: a
 * rolling deploy stops. Without another one this build is all that there is: what can be loaded is served.
 */
async function leaveToOthers(modules: SiteModules, live: LiveBuilds): Promise<void> {
  const [first, ...more] = modules.faults()
  if (!first) return
  const others = await live.others()
  if (others.length === 0) return
  const rest = more.length > 0 ? `, and ${more.length} more` : ''
  throw new Error(`${first.message}${rest}; not ready while a renderer of the build ${others.join(', ')} is`)
}

/** Each call returns the next of one or more values. */
function inTurn(values: readonly string[]): () => string {
  let turn = 0
  return () => values[turn++ % values.length]!
}
