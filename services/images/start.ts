// Connects the parts of the images service and starts the service.

import { setTimeout as sleep } from 'node:timers/promises'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { followDevBuild } from '@portico/shared/kit/config/dev-manifest.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import { createImagesApp } from './app.ts'
import { createDiskStore } from './cache/disk-store.ts'
import { createMemoryStore } from './cache/memory-store.ts'
import { createPurgeRoute } from './cache/purge-route.ts'
import { createFilePurges, createRedisPurges, type Purges } from './cache/purges.ts'
import { createRedisStore } from './cache/redis-store.ts'
import { createVariantCache } from './cache/variant-cache.ts'
import type { VariantStore } from './cache/variant-store.ts'
import { createNoLock, createRedisLock, type WorkLock } from './cache/work-lock.ts'
import type { ImagesConfig } from './config.ts'
import { followBuild } from './dev/dev-images.ts'
import { createEncoderPool } from './encode/encoder-pool.ts'
import { startEncoder } from './encode/encoder-process.ts'
import { createVariantMaker } from './make/make-variant.ts'
import { createVariantWork } from './make/variant-work.ts'
import { createImageMetrics, registerGauges } from './metrics.ts'
import { createQueue } from './queue/queue.ts'
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

/** Starts the service. The service is ready when an encoder has responded and the cache has been probed (O4). */
export async function start(config: ImagesConfig, log: Log): Promise<Service> {
  const current = config.isDevelopment ? await followDevBuild(config.appDir) : undefined
  const { manifest } = current?.() ?? (await loadAppBuild(config.appDir))
  const registry = createMetrics('images')
  const metrics = createImageMetrics(registry)
  const shared = await openStore(config, log)
  const memory = createMemoryStore(config.memoryCacheBytes)
  const pool = createEncoderPool({
    slots: config.encodeSlots,
    log,
    start: () => startEncoder({ environment: config.childEnvironment }),
  })
  const queue = createEncodeQueue(config)
  const { store, purges, lock } = shared
  const now = Date.now
  const cache = createVariantCache(memory, store, purges, now)
  /** The app for the settings of one manifest; under development called again after each change of the settings. */
  const createHandler = (next: Manifest) => {
    const settings = servedSettings(next)
    const { basePath, assetPrefix } = next
    const rules = createParamRules(settings, basePath, assetPrefix)
    const { patterns } = rules
    const fetcher = createSourceFetcher({
      siteUrl: config.siteUrl,
      settings,
      patterns,
      isGuarded: createAnyGuarded(next),
    })
    const maker = createVariantMaker({ settings, fetcher, queue, pool, purges, metrics, now, random: Math.random })
    const mostWork = WORK_PER_SLOT * config.encodeSlots
    const work = createVariantWork({ cache, maker, lock, purges, queue, log, now, mostWork })
    const variants = createVariantServer(cache, work, purges, now)
    const handler = createImagesApp({ settings, basePath, rules, variants, metrics, log, now })
    return { handler, close: () => fetcher.close() }
  }
  const app = current ? followBuild(current, purges, createHandler) : createHandler(manifest)
  const { basePath } = manifest
  registerGauges(registry, {
    memoryBytes: () => memory.bytes,
    queueWaiting: () => queue.waiting,
    queueRunning: () => queue.running,
    encodersLive: () => pool.live,
    storeAvailable: shared.available,
  })
  if (!config.stackToken) log.warn({ event: 'purge-off' }, 'STACK_TOKEN is not set: purging images is off')
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
        token: config.stackToken,
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
  return { store, purges, lock: createRedisLock(link), available: () => link.available, close: () => link.close() }
}
