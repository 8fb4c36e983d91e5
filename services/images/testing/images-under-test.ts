// The images service for tests: what production opens, with port 0, a fake clock and, without Redis, memory for the disk.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import type { Registry } from '@prometheus-io/client'
import { pino } from 'pino'
import type { OpenedStore } from '../cache/cache.ts'
import { createMemoryStore, type MemoryStore } from '../cache/local-stores.ts'
import { createPurgeRules, type Purges } from '../cache/purges.ts'
import { createNoLock } from '../cache/variant-store.ts'
import { readImagesConfig, type ServedSettings } from '../config.ts'
import { createEncoderPool, type EncoderPool, startEncoder } from '../encoders/encoders.ts'
import { type ImagesParts, openImages } from '../open.ts'
import type { EncodeQueue } from '../queue/queue.ts'
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
  close(): Promise<void>
}

export interface TestOptions extends Pick<ImagesParts, 'network' | 'times' | 'queue' | 'mostWork' | 'coldLimit'> {
  siteUrl: URL
  pool: EncoderPool
  settings?: Partial<ServedSettings>
  basePath?: string
  redisUrl?: URL
  log?: Log
  /** Called before each read of the store in memory. */
  beforeStore?: () => Promise<void>
}

export const silentLog = pino({ level: 'silent' })

/** One pool of encoders for a whole file of tests. */
export function openPool(slots = 1): EncoderPool {
  const environment = bareEnvironment()
  return createEncoderPool({ slots, log: silentLog, start: () => startEncoder({ environment }) })
}

/** No job waits too long unless a test wants it. */
const QUEUE = { slots: 1, memoryBytes: 1e9, lengths: { viewer: 50, refresh: 50, 'warm-up': 50 }, longestWaitMs: 60_000 }

/** Listens on a free port. Without `redisUrl` a second memory cache replaces the disk. */
export async function startImages(options: TestOptions): Promise<ImagesUnderTest> {
  const { basePath = '', siteUrl, redisUrl, log = silentLog, queue, beforeStore, settings, ...parts } = options
  let clock = Date.now()
  const now = () => clock
  const config = readImagesConfig({
    APP_DIR: '/nowhere',
    SITE_URL: siteUrl.href,
    IMAGE_MEMORY_MB: '50',
    RATE_LIMIT_COLD_IMAGES: '0',
    STACK_TOKEN: 'the-token-of-tests-the-token-of-tests',
    ...(redisUrl && { CACHE_REDIS_URL: redisUrl.href }),
  })
  const { semantics, ...images } = imageSettings(settings)
  const opened = await openImages(config, log, {
    mostWork: 1000,
    ...parts,
    now,
    random: () => 0,
    manifest: { buildId: 'test', basePath, assetPrefix: basePath, images, semantics },
    ...(!redisUrl && { store: memoryStore(now, beforeStore) }),
    queue: { ...QUEUE, ...queue },
  })
  const { memory, queue: encodes, purges, registry } = opened
  const server = createServer(opened.listeners[0]!.handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    memory,
    queue: encodes,
    purges,
    registry,
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
      await opened.close?.()
    },
  }
}

function memoryStore(now: () => number, beforeStore?: () => Promise<void>): OpenedStore {
  const kept = createMemoryStore(50_000_000, now)
  const getMany: typeof kept.getMany = async (keys, budget) => {
    await beforeStore?.()
    return kept.getMany(keys, budget)
  }
  return {
    store: { ...kept, getMany },
    purges: memoryPurges(now),
    lock: createNoLock(),
    available: () => true,
    close: async () => {},
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
