// Opens the actions service: every part between its settings and its handlers. What time, disk, network or the site's code
// decides is a part, which a test replaces:
//
//   const opened = await openActions(config, log, { clock: fakeClock, site, openSubmissions: inMemory })

import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import {
  completeEnvironment,
  enterAppFolder,
  loadActionsBundle,
  loadAppBuild,
} from '@portico/shared/kit/config/app-build.ts'
import { tightenDataDir } from '@portico/shared/kit/config/private-files.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { createFeed, type Feed } from '@portico/shared/kit/feed/feed.ts'
import type { GenerationStore } from '@portico/shared/kit/feed/generations.ts'
import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { createPublisher, type PublisherDeps } from '@portico/shared/kit/feed/publish.ts'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import { createSiteFetch } from '@portico/shared/kit/http/site-fetch.ts'
import { type AfterTasks, createAfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { createRunningRequests } from '@portico/shared/kit/life/running-requests.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import { createSiteModules, type ReadinessFault, readinessFaults } from '@portico/shared/kit/life/site-modules.ts'
import { type Log, withMappedStacks } from '@portico/shared/kit/observe/log.ts'
import { addFeedMetrics, createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { createStackMapper, type MapStack } from '@portico/shared/kit/observe/site/map-stacks.ts'
import { surviveStrayErrors } from '@portico/shared/kit/observe/stray-errors.ts'
import { createBoundArgs } from '@portico/shared/kit/secrets/bound-args.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { versionOf } from '@portico/shared/wire/routing/version.ts'
import type { Registry } from '@prometheus-io/client'
import { createActionsApp } from './app.ts'
import {
  createRedisPurgeProgress,
  createSqlitePurgeProgress,
  openPurger,
  type PurgeProgressStore,
} from './cdn-purge/cdn-purge.ts'
import { type Clock, systemClock } from './clock.ts'
import type { ActionsConfig } from './config.ts'
import { createActionsMetrics, createSubmissionMetrics } from './metrics.ts'
import { createUploads } from './request/request.ts'
import { createRendererClient, type RendererClient } from './send/send.ts'
import { loadSite, type Site } from './site/site.ts'
import {
  createSeal,
  createSqliteStore,
  openRedisSubmissions,
  type StoreDeps,
  type SubmissionStore,
} from './store/store.ts'
import { type BeginDeps, createSubmitOnce } from './submission/submission.ts'

/** Running submissions per client; a browser opens six connections per origin. */
const PLACES_PER_CLIENT = 16
/** Interval at which expired records are removed and the other records are counted, also without submissions. */
const USAGE_PAUSE_MS = 30_000

/** Bytes of data that `cached` of portico/server keeps. */
const DATA_CACHE_LIMIT_BYTES = 32 * 1024 * 1024

/** What the service needs of a site. */
interface OpenedSite {
  site: () => Site
  /** Loads edited modules; only under development. */
  refresh?: () => Promise<void>
  /** The version of the pages (C2); undefined under development. */
  version?: string
  buildId: string
  /** Modules that cannot be loaded; under development the browser shows them. */
  faults?: () => ReadinessFault[]
}

/** What a test may replace; each has the default of production. */
export interface ActionsParts {
  clock?: Clock
  /** Instead of the build of APP_DIR, or its sources under development. */
  site?: OpenedSite
  /** Instead of submissions in STATE_REDIS_URL or DATA_DIR. */
  openSubmissions?: (deps: StoreDeps) => SubmissionStore
  /** Instead of marks in DATA_DIR; closed with the service. */
  generations?: GenerationStore
  /** How submissions wait for a store that is away. */
  waiting?: Pick<BeginDeps, 'storeWaitMs' | 'room'> | undefined
  /** Running submissions of one client. */
  placesPerClient?: number | undefined
}

export interface OpenedActions extends Opened {
  after: AfterTasks
  registry: Registry
}

export async function openActions(
  config: ActionsConfig,
  serviceLog: Log,
  parts: ActionsParts = {},
): Promise<OpenedActions> {
  const { clock = systemClock, waiting, placesPerClient = PLACES_PER_CLIENT } = parts
  const mapStack = createStackMapper(config.appDir)
  const log = withMappedStacks(serviceLog, mapStack)
  const { dataDir, rendererInnerUrls } = config
  const secrets = await openSecrets(config, log)
  const { keys, token: tokens } = secrets
  const token = tokens.current
  const {
    site,
    faults,
    refresh,
    version,
    buildId,
    log: appLog,
  } = parts.site ? { ...parts.site, log } : await openSite(config, { log, mapStack })
  const registry = createMetrics('actions', buildId)
  const events = createSubmissionMetrics(registry)
  const storeDeps = { seal: createSeal(keys), events, now: clock.now, log }
  const { submissions: store, changes } = await openStateStore(config, storeDeps, parts)
  const renderer = createRendererClient({
    innerUrls: rendererInnerUrls,
    token,
    log,
    // Under development both are of the folder.
    ...(version !== undefined && { buildId }),
  })
  const { dataCache, ...open } = openFeed(config, { changes, token, registry, version, renderer, clock, log })
  const uploads = createUploads(join(dataDir, 'uploads'))
  // The connection reports an unavailable store.
  const countUsage = () => void store.usage().then(events.onUsage, () => {})
  const counting = setInterval(countUsage, USAGE_PAUSE_MS).unref()
  const draining = new AbortController()
  const after = createAfterTasks(appLog)
  let ownPort = config.port
  const app = createActionsApp({
    site,
    cookieSeals: createCookieSeals({ keyring: keys, now: clock.now, log }),
    boundArgs: createBoundArgs(keys),
    submitOnce: createSubmitOnce({ store, clock, log, onRefused: events.onRefused, ...waiting }),
    invalidation: open.invalidation,
    renderer,
    uploads,
    publicOrigins: config.publicOrigins,
    beginRequest: createRunningRequests(placesPerClient),
    clientKeys: keys,
    metrics: createActionsMetrics(registry),
    fetchSite: createSiteFetch({
      actionsUrl: () => `http://127.0.0.1:${ownPort}${site().basePath}`,
      siteUrl: () => config.siteUrl.origin + site().basePath,
    }),
    after,
    dataCache,
    draining: draining.signal,
    clock,
    log: appLog,
  })
  const { host, port } = config
  return {
    registry,
    listeners: [{ name: 'public', host, port, handler: withChanges(refresh, app) }],
    inner: {
      host: config.innerHost,
      port: config.innerPort,
      ...(version !== undefined && { version }),
      token: tokens,
      routes: [open.route],
      metrics: registry,
      ...(faults && { faults }),
    },
    warm: async () => {
      await uploads.prepare(Date.now())
      for (const path of tightenDataDir(dataDir))
        log.warn({ event: 'open-files', path }, 'file readable by other users of this machine')
      await pingStore(store)
      // Empty data has no epoch: renderers would take the first change for a store that has lost its marks.
      await changes.store.raise({ paths: [], tags: [] })
    },
    onReady(ports) {
      ownPort = ports.public ?? ownPort
      open.purger?.start()
    },
    onDrain: () => draining.abort(),
    after,
    close: async () => {
      clearInterval(counting)
      await open.close()
      renderer.close()
      secrets.close()
      return store.close()
    },
    maxConnections: config.maxConnections,
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  }
}

interface Changes extends Pick<PublisherDeps, 'store' | 'broadcast'> {
  subscribe?: (onMessage: Feed['apply']) => () => void
  /** How far a CDN was purged. */
  openProgress: () => PurgeProgressStore
}

/** Submissions and generations, in Redis or in files of DATA_DIR. Loads the Redis client only if there is a Redis. */
async function openStateStore(
  { stateRedisUrl, dataDir }: ActionsConfig,
  deps: StoreDeps,
  { openSubmissions, generations }: Pick<ActionsParts, 'openSubmissions' | 'generations'>,
): Promise<{ submissions: SubmissionStore; changes: Changes }> {
  const { now } = deps
  const owner = randomUUID()
  if (!stateRedisUrl) {
    return {
      submissions: openSubmissions?.(deps) ?? createSqliteStore({ file: join(dataDir, 'submissions.sqlite'), ...deps }),
      changes: {
        store: generations ?? createSqliteGenerations({ dataDir, now }),
        openProgress: () => createSqlitePurgeProgress({ dataDir, owner, now }),
      },
    }
  }
  const { createRedisGenerations } = await import('@portico/shared/kit/feed/redis-generations.ts')
  const { subscribeToInvalidations } = await import('@portico/shared/kit/feed/subscribe.ts')
  const { redis, submissions } = await openRedisSubmissions(stateRedisUrl, deps)
  return {
    submissions,
    changes: {
      store: createRedisGenerations(redis),
      broadcast: (channel, text) => redis.publish(channel, text),
      subscribe: (onMessage) => subscribeToInvalidations(stateRedisUrl, 'portico-actions-subscriber', onMessage),
      openProgress: () => createRedisPurgeProgress(redis, owner),
    },
  }
}

interface FeedParts {
  changes: Changes
  token: () => string
  registry: Registry
  /** Undefined under development. */
  version: string | undefined
  renderer: Pick<RendererClient, 'avoid'>
  clock: Clock
  log: Log
}

/** Both ends of the invalidation feed: this process publishes changes, keeps tagged data itself, and purges a CDN. */
function openFeed(config: ActionsConfig, { changes, token, registry, version, renderer, clock, log }: FeedParts) {
  const { rendererInnerUrls, actionsInnerUrls, gatewayInnerUrls, isDevelopment } = config
  const feed = createFeed({ reader: changes.store, log })
  addFeedMetrics(registry, feed)
  const unsubscribe = changes.subscribe?.(feed.apply)
  const innerUrls = [rendererInnerUrls, actionsInnerUrls, gatewayInnerUrls]
  const invalidation = createPublisher({ ...changes, innerUrls, token, log, onUnconfirmed: renderer.avoid })
  const { store: generations, openProgress } = changes
  const parts = { version, feed, generations, openProgress, registry, clock, log }
  const purger = openPurger({ ...config, ...parts })
  return {
    purger,
    route: createInvalidationRoute(feed),
    invalidation,
    dataCache: isDevelopment ? undefined : createDataCache({ feed, limitBytes: DATA_CACHE_LIMIT_BYTES }),
    async close() {
      await purger?.close()
      invalidation.close()
      unsubscribe?.()
      feed.close()
    },
  }
}

/** Loads the code of the site, which has this process for itself. `log` is the log of that code. */
async function openSite(
  config: ActionsConfig,
  { log, mapStack }: { log: Log; mapStack: MapStack },
): Promise<OpenedSite & { log: Log }> {
  surviveStrayErrors(log)
  const { appDir, environment, isDevelopment } = config
  if (isDevelopment) {
    enterAppFolder(config)
    const { createDevSite } = await import('./dev/dev.ts')
    const site = await createDevSite({ ...config, log })
    return { ...site, buildId: 'development' }
  }
  const build = await loadAppBuild(appDir)
  enterAppFolder(config)
  const { publicEnv, env } = readSiteEnvironment(build.manifest, environment)
  provideEnv(env)
  completeEnvironment(build, log)
  const bundle = await loadActionsBundle(build)
  const onRequestError = await startInstrumentation(bundle.instrumentation, log, mapStack)
  const modules = createSiteModules({ log })
  const site = { ...(await loadSite(build.manifest, bundle, publicEnv.values, modules)), onRequestError }
  const { buildId, prerendered, basePath } = build.manifest
  const version = versionOf({ buildId, publicEnvHash: publicEnv.hash, prerendered, basePath })
  return { site: () => site, faults: () => readinessFaults(modules.faults()), version, buildId, log }
}

/** Under development every request first loads edited modules. */
function withChanges(refresh: (() => Promise<void>) | undefined, handler: RequestListener): RequestListener {
  if (!refresh) return handler
  return (request, response) => void refresh().then(() => handler(request, response))
}

/** The state store may start later than this service: the warm-up tries again. */
async function pingStore(store: SubmissionStore): Promise<void> {
  try {
    await store.ping()
  } catch (cause) {
    throw new Error('the state store does not respond', { cause })
  }
}
