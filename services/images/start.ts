// Connects the parts of the images service and starts the service.

import { setTimeout as sleep } from 'node:timers/promises'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { followDevBuild } from '@portico/shared/kit/config/dev-manifest.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { openTokenSetting } from '@portico/shared/kit/secrets/open-secrets.ts'
import { addRedisMetrics, readInfo } from '@portico/shared/kit/store/redis-metrics.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import { createImagesApp } from './app.ts'
import { createDiskStore } from './cache/disk-store.ts'
import { createMemoryStore } from './cache/memory-store.ts'
import { createPurgeRoute } from './cache/purge-route.ts'
import { createFilePurges, createRedisPurges, type Purges } from './cache/purges.ts'
import type { RedisLink } from './cache/redis-link.ts'
import { createRedisStore } from './cache/redis-store.ts'
import { createVariantCache, type VariantCache } from './cache/variant-cache.ts'
import { createBudget, type VariantStore } from './cache/variant-store.ts'
import { createNoLock, createRedisLock, type WorkLock } from './cache/work-lock.ts'
import { openColdLimit } from './client-limit.ts'
import type { ImagesConfig } from './config.ts'
import { followBuild } from './dev/dev-images.ts'
import { createEncoderPool, type EncoderPool } from './encode/encoder-pool.ts'
import { startEncoder } from './encode/encoder-process.ts'
import { createVariantMaker } from './make/make-variant.ts'
import { createVariantWork } from './make/variant-work.ts'
import { createImageMetrics, type ImageMetrics, registerGauges } from './metrics.ts'
import { createQueue, type EncodeQueue } from './queue/queue.ts'
import { createEarlierSizes } from './request/earlier-sizes.ts'
import { createParamRules } from './request/params.ts'
import { createVariantServer } from './serve-variant.ts'
import { servedSettings } from './served-settings.ts'
import { createSourceFetcher } from './source/fetch-source.ts'

/** Half of a request's time limit: the other half remains for the work itself. */
const LONGEST_WAIT_MS = 4000
/** Jobs that may wait, per slot. */
const WAITING_PER_SLOT = { viewer: 32, refresh: 16, 'warm-up': 8 }
/** Sources that may be fetched or waiting, per slot: bounds the memory of all source bodies together. */
const WORK_PER_SLOT = 64
/**
 * Cached responses need no encoder: a replica is ready while an encoder is being replaced. A replica whose encoders
 * do not start opens its port after this time and reports that it is not ready.
 */
const ENCODERS_DOWN_MS = 5000
/** After this time the service starts without a response from the store, and reports the store as unavailable. */
const STORE_WAIT_MS = 1500

/** For the figures of Redis: a scrape waits, no request does. */
const INFO_BUDGET_MS = 400

/** Starts the service. The service is ready when an encoder has responded and the cache has been probed (O4). */
export async function start(config: ImagesConfig, log: Log): Promise<Service> {
  const current = config.isDevelopment ? await followDevBuild(config.appDir) : undefined
  const { manifest } = current?.() ?? (await loadAppBuild(config.appDir))
  const registry = createMetrics('images', manifest.buildId)
  const metrics = createImageMetrics(registry)
  const shared = await openStore(config, log)
  const memory = createMemoryStore(config.memoryCacheBytes)
  const pool = createEncoderPool({
    slots: config.encodeSlots,
    log,
    start: () => startEncoder({ environment: config.childEnvironment }),
  })
  const queue = createEncodeQueue(config)
  const { store, purges, lock, link } = shared
  const cache = createVariantCache(memory, store, purges, Date.now)
  const limit = { perMinute: config.coldImagesPerMinute, secret: config.stackToken ?? '' }
  const coldLimit = openColdLimit({ ...limit, link, log })
  const createHandler = createHandlerMaker({ config, cache, pool, queue, lock, purges, metrics, coldLimit, log })
  const app = current ? followBuild(current, purges, createHandler) : createHandler(manifest)
  const { basePath } = manifest
  if (link)
    addRedisMetrics({ registry, store: 'cache', readInfo: () => link.control(createBudget(INFO_BUDGET_MS), readInfo) })
  registerGauges(registry, {
    memoryBytes: () => memory.bytes,
    queueWaiting: () => queue.waiting,
    queueRunning: () => queue.running,
    encodersLive: () => pool.live,
    storeAvailable: shared.available,
  })
  // Not a warning: nothing is lost until a purge is requested, which is refused with the same reason.
  if (!config.stackToken) log.info({ event: 'purge-off' }, 'STACK_TOKEN is not set: purging images is off')
  const close = async () => {
    app.close()
    await pool.close()
    await shared.close()
  }
  try {
    return await startService({
      log,
      listeners: [{ name: 'public', host: config.host, port: config.port, handler: app.handler }],
      inner: {
        host: config.innerHost,
        port: config.innerPort,
        routes: [createPurgeRoute(purges, basePath, log)],
        token: config.stackToken === undefined ? undefined : openTokenSetting(config.stackToken, log),
        metrics: registry,
      },
      warm: async () => {
        // Under development requests for images wait for the encoder, so that pages need not wait.
        if (!current) await Promise.race([pool.warm(), sleep(ENCODERS_DOWN_MS, undefined, { ref: false })])
        if (!current && pool.live === 0)
          log.warn({ event: 'encoders-away' }, 'started without encoders: cached images are served')
        if (!(await store.probe())) log.warn({ event: 'cache-degraded' }, 'started without the cache')
      },
      notReady: () => (pool.downMs > ENCODERS_DOWN_MS ? ['encoders'] : []),
      close,
      maxConnections: config.maxConnections,
      drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
    })
  } catch (error) {
    await close()
    throw error
  }
}

interface HandlerParts {
  config: ImagesConfig
  cache: VariantCache
  pool: EncoderPool
  queue: EncodeQueue
  lock: WorkLock
  purges: Purges
  metrics: ImageMetrics
  coldLimit: ClientLimit | undefined
  log: Log
}

/** Makes the app for the settings of one manifest; under development called again after each change of the settings. */
function createHandlerMaker({ config, ...parts }: HandlerParts) {
  const { cache, purges, queue } = parts
  const now = Date.now
  return (manifest: Manifest) => {
    const settings = servedSettings(manifest)
    const { basePath, assetPrefix } = manifest
    const rules = createParamRules(settings, basePath, assetPrefix)
    const { patterns } = rules
    const isGuarded = createAnyGuarded(manifest)
    const fetcher = createSourceFetcher({ siteUrl: config.siteUrl, settings, patterns, isGuarded })
    const maker = createVariantMaker({ ...parts, settings, fetcher, now, random: Math.random })
    const mostWork = WORK_PER_SLOT * config.encodeSlots
    const work = createVariantWork({ ...parts, maker, queue, now, mostWork })
    const variants = createVariantServer(cache, work, purges, now)
    const { siteUrl, isDevelopment } = config
    const earlierSizes = isDevelopment ? undefined : createEarlierSizes({ ...parts, siteUrl, basePath, now })
    const handler = createImagesApp({ ...parts, settings, basePath, rules, variants, earlierSizes, now })
    return { handler, close: () => fetcher.close() }
  }
}

function createEncodeQueue({ encodeSlots: slots, encodeMemoryBytes: memoryBytes }: ImagesConfig) {
  const { viewer, refresh, 'warm-up': warmUp } = WAITING_PER_SLOT
  const lengths = { viewer: viewer * slots, refresh: refresh * slots, 'warm-up': warmUp * slots }
  return createQueue({ slots, memoryBytes, lengths, longestWaitMs: LONGEST_WAIT_MS })
}

interface OpenedStore {
  store: VariantStore
  purges: Purges
  lock: WorkLock
  available: () => boolean
  /** The connections to Redis. */
  link?: RedisLink
  close: () => Promise<void>
}

/** Redis if CACHE_REDIS_URL is set, else the disk of this process. */
async function openStore(config: ImagesConfig, log: Log): Promise<OpenedStore> {
  if (!config.cacheRedisUrl) {
    const store = await createDiskStore({ dir: config.cacheDir, limitBytes: config.diskCacheBytes, log })
    const purges = await createFilePurges(config.cacheDir, log)
    return { store, purges, lock: createNoLock(), available: () => store.available, close: () => store.close() }
  }
  const { createRedisLink } = await import('./cache/redis-link.ts')
  const link = createRedisLink(config.cacheRedisUrl, log)
  const purges = createRedisPurges(link, log)
  const store = createRedisStore({ link, observePurges: purges.observe })
  await link.connected(STORE_WAIT_MS)
  const lock = createRedisLock(link)
  return { store, purges, lock, available: () => link.available, link, close: () => link.close() }
}
