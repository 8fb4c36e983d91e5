// Connects the parts of the renderer and starts the service: build, secrets, page cache, ports.

import { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import { enterAppFolder, loadAppBuild, loadServerBundle } from '@portico/shared/kit/config/app-build.ts'
import { readPolicies } from '@portico/shared/kit/config/policies.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import { createAfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import { CannotServeError } from '@portico/shared/kit/life/warm-up.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { addFeedMetrics, createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { surviveStrayErrors } from '@portico/shared/kit/observe/stray-errors.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { createBoundArgs } from '@portico/shared/kit/store/bound-args.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import { createRendererApp } from './app.ts'
import { createMemoryPageCache } from './cache/page-cache.ts'
import { createPageCacheCounter } from './cache/page-cache-metrics.ts'
import type { RendererConfig } from './config.ts'
import { createInnerRoutes } from './inner-routes.ts'
import { openPrerendered } from './prerender/prerendered.ts'
import { createPageRenderer } from './render/render-page.ts'
import { createCrawlerTest } from './resolve/crawlers.ts'

/** Bytes of pages kept in this process; a container of 512 MB has room for them next to Node and the bundle. */
const PAGE_CACHE_LIMIT_BYTES = 64 * 1024 * 1024

/** Bytes of data that `cached` of portico/server keeps. */
const DATA_CACHE_LIMIT_BYTES = 32 * 1024 * 1024

/** Starts the service. */
export async function start(config: RendererConfig, log: Log): Promise<Service> {
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
  const bundle = await loadServerBundle(build)
  const onRequestError = await startInstrumentation(bundle.instrumentation, log)
  const feed = await openFeed(config, 'portico-renderer', log)
  const cache = createMemoryPageCache({ limitBytes: PAGE_CACHE_LIMIT_BYTES, feed })
  const metrics = createMetrics('renderer', manifest.buildId)
  addFeedMetrics(metrics, feed)
  const prerendered = await openPrerendered(build, { feed, publicEnvHash: publicEnv.hash, log })
  const secrets = await openSecrets(config, log)
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
      token: secrets.token,
      routes: createInnerRoutes({ manifest, pages, cookieSeals, feed }),
      metrics,
    },
    warm: () =>
      bundle
        .warm()
        .then(() => bundle.prepare(publicEnv.values))
        .catch(refuseBuild),
    after,
    close: async () => {
      secrets.close()
      feed.close()
    },
    maxConnections: config.maxConnections,
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  })
  // Runs behind the first requests: a page may read data of a service that has not started yet.
  void pages.warm().then((count) => log.info({ event: 'warmed', pages: count }, 'page cache warmed'))
  return service
}

/** A module that throws while it is loaded throws the same error again in this process. */
function refuseBuild(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new CannotServeError(`a page of the build cannot be loaded: ${reason}`, { cause })
}

/** Each call returns the next of one or more values. */
function inTurn(values: readonly string[]): () => string {
  let turn = 0
  return () => values[turn++ % values.length]!
}
