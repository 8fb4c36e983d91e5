// Opens the images service: every part between its settings and its handlers. What time, chance, disk, network or another
// process decides is a part, which a test replaces:
//
//   const opened = await openImages(config, log, { now: () => time, pool, store: memoryStore })

import { setTimeout as sleep } from 'node:timers/promises'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { followDevBuild } from '@portico/shared/kit/feed/dev-build.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { openTokenSetting } from '@portico/shared/kit/secrets/open-secrets.ts'
import { addRedisMetrics, readInfo } from '@portico/shared/kit/store/redis-metrics.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import type { Registry } from '@prometheus-io/client'
import { createImagesApp } from './app.ts'
import {
  createBudget,
  createMemoryStore,
  createPurgeRoute,
  createVariantCache,
  type MemoryStore,
  type OpenedStore,
  openColdLimit,
  openStore,
  type Purges,
} from './cache/cache.ts'
import { type ImagesConfig, servedSettings } from './config.ts'
import { followBuild } from './dev/dev.ts'
import { createEncoderPool, type EncoderPool, startEncoder } from './encoders/encoders.ts'
import { createVariantMaker, createVariantWork, type VariantTimes } from './make/make.ts'
import { createImageMetrics, registerGauges } from './metrics.ts'
import { createQueue, type EncodeQueue, type QueueLimits } from './queue/queue.ts'
import { createEarlierSizes, createParamRules } from './request/request.ts'
import { createVariantServer } from './serve-variant/serve-variant.ts'
import { createSourceFetcher, type SourceNetwork } from './source/source.ts'

/** A part of the 8 s for source and queue: no browser requests an image again that was refused (I7). */
const LONGEST_WAIT_MS = 6000
/** Jobs that may wait, per slot. */
const WAITING_PER_SLOT = { viewer: 32, refresh: 16, 'warm-up': 8 }
/** Sources that may be fetched or waiting, per slot: bounds the memory of all source bodies together. */
const WORK_PER_SLOT = 64
/**
 * Cached responses need no encoder: a replica is ready while an encoder is being replaced. A replica whose encoders
 * do not start opens its port after this time and reports that it is not ready.
 */
const ENCODERS_DOWN_MS = 5000
/** For the figures of Redis: a scrape waits, no request does. */
const INFO_BUDGET_MS = 400

/** What the service reads of a build. */
type ImagesManifest = Pick<
  Manifest,
  'buildId' | 'basePath' | 'assetPrefix' | 'images' | 'semantics' | 'i18n' | 'middleware'
>

/** What a test may replace; each has the default of production. */
export interface ImagesParts {
  /** Milliseconds since the epoch. */
  now?: () => number
  /** 0 to 1; spreads lifetimes. */
  random?: () => number
  /** Instead of the build of APP_DIR. */
  manifest?: ImagesManifest
  /** Encoder processes; the caller closes them. */
  pool?: EncoderPool
  /** Instead of CACHE_REDIS_URL or CACHE_DIR. */
  store?: OpenedStore
  /** How sources are reached. */
  network?: SourceNetwork
  /** How long one image may take. */
  times?: VariantTimes
  queue?: Partial<QueueLimits>
  /** Pieces of work at the same time, fetches of sources included. */
  mostWork?: number
  coldLimit?: ClientLimit
}

export interface OpenedImages extends Opened {
  memory: MemoryStore
  queue: EncodeQueue
  purges: Purges
  registry: Registry
}

/** The service is ready when an encoder has responded and the cache has been probed (O4). */
export async function openImages(config: ImagesConfig, log: Log, parts: ImagesParts = {}): Promise<OpenedImages> {
  const { now = Date.now, random = Math.random, mostWork = WORK_PER_SLOT * config.encodeSlots } = parts
  const isFollowing = config.isDevelopment && !parts.manifest
  const followed = isFollowing ? await followDevBuild({ ...config, name: 'images', log }) : undefined
  const manifest = parts.manifest ?? (followed?.current() ?? (await loadAppBuild(config.appDir))).manifest
  const registry = createMetrics('images', manifest.buildId)
  const metrics = createImageMetrics(registry)
  const opened = parts.store ?? (await openStore(config, log))
  const { store, purges, lock, link } = opened
  const memory = createMemoryStore(config.memoryCacheBytes, now)
  const pool = parts.pool ?? createPool(config, log)
  const queue = createQueue({ ...queueLimits(config), ...parts.queue })
  const cache = createVariantCache(memory, store, purges, now)
  const { coldImagesPerMinute: perMinute, stackToken, siteUrl } = config
  const coldLimit = parts.coldLimit ?? openColdLimit({ perMinute, secret: stackToken ?? '', link, log })

  /** The app for the settings of one manifest; under development called again after each change of the settings. */
  const createHandler = (served: ImagesManifest) => {
    const settings = servedSettings(served)
    const { basePath, assetPrefix } = served
    const rules = createParamRules(settings, basePath, assetPrefix)
    const { patterns } = rules
    const isGuarded = createAnyGuarded(served)
    const fetcher = createSourceFetcher({ siteUrl, settings, patterns, isGuarded, ...parts.network })
    const shared = { settings, queue, purges, metrics, now, log }
    const maker = createVariantMaker({ ...shared, fetcher, pool, random, ...parts.times })
    const work = createVariantWork({ ...shared, cache, maker, lock, mostWork })
    const variants = createVariantServer(cache, work, purges, now)
    const earlierSizes = followed ? undefined : createEarlierSizes({ siteUrl, basePath, log, now })
    const handler = createImagesApp({ ...shared, basePath, rules, variants, earlierSizes, coldLimit })
    return { handler, close: () => fetcher.close() }
  }
  const app = followed ? followBuild(followed.current, purges, createHandler) : createHandler(manifest)

  if (link)
    addRedisMetrics({ registry, store: 'cache', readInfo: () => link.control(createBudget(INFO_BUDGET_MS), readInfo) })
  registerGauges(registry, {
    memoryBytes: () => memory.bytes,
    queueWaiting: () => queue.waiting,
    queueRunning: () => queue.running,
    encodersLive: () => pool.live,
    storeAvailable: opened.available,
  })
  // Not a warning: nothing is lost until a purge is requested, which is refused with the same reason.
  if (!stackToken) log.info({ event: 'purge-off' }, 'STACK_TOKEN is not set: purging images is off')
  return {
    memory,
    queue,
    purges,
    registry,
    listeners: [{ name: 'public', host: config.host, port: config.port, handler: app.handler }],
    inner: {
      host: config.innerHost,
      port: config.innerPort,
      routes: [createPurgeRoute(purges, manifest.basePath, log)],
      token: stackToken === undefined ? undefined : openTokenSetting(stackToken, log),
      metrics: registry,
    },
    warm: async () => {
      // Under development requests for images wait for the encoder, so that pages need not wait.
      if (!followed) await Promise.race([pool.warm(), sleep(ENCODERS_DOWN_MS, undefined, { ref: false })])
      if (!followed && pool.live === 0)
        log.warn({ event: 'encoders-away' }, 'started without encoders: cached images are served')
      if (!(await store.probe())) log.warn({ event: 'cache-degraded' }, 'started without the cache')
    },
    notReady: () => (pool.downMs > ENCODERS_DOWN_MS ? ['encoders'] : []),
    close: async () => {
      app.close()
      followed?.close()
      if (!parts.pool) await pool.close()
      await opened.close()
    },
    maxConnections: config.maxConnections,
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  }
}

function createPool({ encodeSlots: slots, childEnvironment: environment }: ImagesConfig, log: Log): EncoderPool {
  return createEncoderPool({ slots, log, start: () => startEncoder({ environment }) })
}

function queueLimits({ encodeSlots: slots, encodeMemoryBytes: memoryBytes }: ImagesConfig): QueueLimits {
  const { viewer, refresh, 'warm-up': warmUp } = WAITING_PER_SLOT
  const lengths = { viewer: viewer * slots, refresh: refresh * slots, 'warm-up': warmUp * slots }
  return { slots, memoryBytes, lengths, longestWaitMs: LONGEST_WAIT_MS }
}
