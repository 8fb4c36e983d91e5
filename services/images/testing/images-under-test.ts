// The images service for tests: real parts, port 0, a fake clock.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { Registry } from '@prometheus-io/client'
import { pino } from 'pino'
import { createImagesApp } from '../app.ts'
import { createMemoryStore, type MemoryStore } from '../cache/memory-store.ts'
import { createPurgeRules } from '../cache/purge-rules.ts'
import { createRedisPurges, type Purges } from '../cache/purges.ts'
import { createRedisLink, type RedisLink } from '../cache/redis-link.ts'
import { createRedisStore } from '../cache/redis-store.ts'
import { createVariantCache } from '../cache/variant-cache.ts'
import type { VariantStore } from '../cache/variant-store.ts'
import { createNoLock, createRedisLock } from '../cache/work-lock.ts'
import { createEncoderPool, type EncoderPool } from '../encode/encoder-pool.ts'
import { startEncoder } from '../encode/encoder-process.ts'
import { createVariantMaker } from '../make/make-variant.ts'
import { createVariantWork } from '../make/variant-work.ts'
import { createImageMetrics } from '../metrics.ts'
import { createQueue, type EncodeQueue, type QueueLimits } from '../queue/queue.ts'
import { createEarlierSizes } from '../request/earlier-sizes.ts'
import { createParamRules } from '../request/params.ts'
import { createVariantServer } from '../serve-variant.ts'
import type { ServedSettings } from '../served-settings.ts'
import { createSourceFetcher, type SourceFetcherDeps } from '../source/fetch-source.ts'
import { imageSettings } from './image-settings.ts'

export interface ImagesUnderTest {
  /** Requests an image; `url` is the source. */
  get(
    url: string,
    options?: { w?: number; accept?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Advances the clock. */
  pass(seconds: number): void
  memory: MemoryStore
  queue: EncodeQueue
  purges: Purges
  registry: Registry
  link: RedisLink | undefined
  close(): Promise<void>
}

export interface TestOptions {
  siteUrl: URL
  pool: EncoderPool
  settings?: Partial<ServedSettings>
  basePath?: string
  redisUrl?: URL
  queue?: Partial<QueueLimits>
  fetcher?: Partial<SourceFetcherDeps>
  mostWork?: number
  coldLimit?: ClientLimit
  log?: Log
  totalTimeoutMs?: number
  /** Called before each read of the store. */
  beforeStore?: () => Promise<void>
}

export const silentLog = pino({ level: 'silent' })

/** One pool of encoders for a whole file of tests. */
export function openPool(slots = 1): EncoderPool {
  const environment = bareEnvironment()
  return createEncoderPool({ slots, log: silentLog, start: () => startEncoder({ environment }) })
}

/** Listens on a free port. Without `redisUrl` a second memory cache replaces the disk. */
export async function openImages(options: TestOptions): Promise<ImagesUnderTest> {
  const settings = imageSettings(options.settings)
  const { basePath = '', pool, siteUrl, mostWork = 1000 } = options
  let clock = Date.now()
  const now = () => clock
  const registry = new Registry()
  const metrics = createImageMetrics(registry)
  const memory = createMemoryStore(50_000_000, now)
  const rules = createParamRules(settings, basePath)
  const { patterns } = rules
  const fetcher = createSourceFetcher({ siteUrl, settings, patterns, ...options.fetcher })
  const queue = createQueue({
    slots: 1,
    memoryBytes: 1e9,
    lengths: { viewer: 50, refresh: 50, 'warm-up': 50 },
    longestWaitMs: 60_000,
    ...options.queue,
  })
  const link = options.redisUrl && createRedisLink(options.redisUrl, silentLog)
  const purges = link ? createRedisPurges(link, silentLog) : memoryPurges(now)
  const kept: VariantStore = link
    ? createRedisStore({ link, observePurges: purges.observe })
    : createMemoryStore(50_000_000, now)
  const store: VariantStore = {
    ...kept,
    async getMany(keys, budget) {
      await options.beforeStore?.()
      return kept.getMany(keys, budget)
    },
  }
  await link?.connected(3000)
  const { log = silentLog } = options
  const maker = createVariantMaker({
    settings,
    fetcher,
    queue,
    pool,
    purges,
    metrics,
    now,
    random: () => 0,
    ...(options.totalTimeoutMs ? { queuedMs: options.totalTimeoutMs, encodedMs: options.totalTimeoutMs } : {}),
  })
  const lock = link ? createRedisLock(link) : createNoLock()
  const cache = createVariantCache(memory, store, purges, now)
  const work = createVariantWork({ cache, maker, lock, purges, queue, log, now, mostWork })
  const variants = createVariantServer(cache, work, purges, now)
  const server = createServer(
    createImagesApp({
      settings,
      basePath,
      rules,
      variants,
      metrics,
      earlierSizes: createEarlierSizes({ siteUrl, basePath, log, now }),
      coldLimit: options.coldLimit,
      log,
      now,
    }),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    memory,
    queue,
    purges,
    registry,
    link,
    fetch: (path, init) => fetch(base + path, init),
    get: (url, { w = 64, accept = 'image/webp', headers = {}, signal } = {}) =>
      fetch(`${base}${basePath}/_portico/image?url=${encodeURIComponent(url)}&w=${w}`, {
        headers: { accept, ...headers },
        ...(signal ? { signal } : {}),
      }),
    pass(seconds) {
      clock += seconds * 1000
    },
    async close() {
      server.closeAllConnections()
      server.close()
      fetcher.close()
      await link?.close()
    },
  }
}

function memoryPurges(now: () => number): Purges {
  const rules = createPurgeRules()
  return {
    current: rules.current,
    isPurged: rules.isPurged,
    observe: async () => {},
    async purge(target) {
      const number = Math.max(rules.current() + 1, now())
      rules.add({ number, target })
      return { generation: number, replicas: 1 }
    },
  }
}
