// The subscriber with a real Redis: received messages, and messages missed without a connection.

import { createLog } from '@portico/shared/kit/observe/log.ts'
import {
  createSharedInvalidation,
  GENERATION_KEY,
  INVALIDATION_CHANNEL,
} from '@portico/shared/kit/store/invalidation.ts'
import { hasRedis, type StackRedis, startRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { subscribeToInvalidations } from './invalidation-subscriber.ts'
import { type CacheEntry, createMemoryPageCache } from './page-cache.ts'

const ENTRY: CacheEntry = { outcome: { kind: 'not-found' }, storedAt: 0, freshForMs: undefined, tags: ['t'] }
const CHECK_MS = 100

describe.skipIf(!hasRedis())('invalidations through Redis', () => {
  let server: StackRedis
  let redis: Redis
  const closing: (() => void)[] = []
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    redis = new Redis(server.url.href, { protocol: 2 })
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) close()
    await redis.flushall()
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  const setUp = async ({ checkMs = 60_000 } = {}) => {
    const cache = createMemoryPageCache({ limitBytes: 100_000 })
    const events: unknown[] = []
    const log = createLog('renderer', 'info', { write: (line) => void events.push(JSON.parse(line).event) })
    const subscriber = subscribeToInvalidations({ url: server.urlOf('renderer'), cache, log, checkMs })
    closing.push(subscriber.close)
    // Its first read of the count revalidates everything.
    await expect.poll(() => cache.generation()).toBe(1)
    const has = async (key: string) => (await cache.get(key)) !== undefined
    return { cache, events, has, fill: (key: string) => cache.set(key, `/${key}`, ENTRY, cache.generation()) }
  }

  const publication = () =>
    createSharedInvalidation({
      redis,
      http: { publish: () => Promise.reject(new Error('no renderer')) },
      log: createLog('actions', 'silent'),
    })

  const dropConnections = () => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')

  test('D6 drops the pages that a publication names within 250 ms, over Redis alone', async () => {
    const { has, fill, events } = await setUp()
    await fill('a')
    await fill('b')
    const startedAt = performance.now()
    await publication().publish({ paths: ['/a'], tags: [] })
    await expect.poll(() => has('a'), { interval: 5 }).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(250)
    expect(await has('b')).toBe(true)
    await publication().publish({ paths: [], tags: ['t'] })
    await expect.poll(() => has('b'), { interval: 5 }).toBe(false)
    expect(events).toEqual([])
  })

  test('D6 shows no earlier page after a publication was missed without a connection', async () => {
    const { has, fill, events } = await setUp()
    await fill('a')
    // Counted first: no subscriber is connected when the message is published.
    await redis.incr(GENERATION_KEY)
    await dropConnections()
    await expect.poll(() => has('a')).toBe(false)
    expect(events).toContain('invalidations-missed')
    await fill('a')
    await publication().publish({ paths: ['/a'], tags: [] })
    await expect.poll(() => has('a')).toBe(false)
  })

  test('D6 keeps its pages when nothing was published without a connection', async () => {
    const { has, fill, events } = await setUp()
    await publication().publish({ paths: ['/a'], tags: [] })
    await fill('b')
    await dropConnections()
    await expect.poll(async () => (await redis.pubsub('NUMSUB', INVALIDATION_CHANNEL))[1]).toBe(1)
    await new Promise((done) => setTimeout(done, 100))
    expect(await has('b')).toBe(true)
    expect(events).not.toContain('invalidations-missed')
  })

  test('D6 detects a message that never arrived', async () => {
    const { has, fill, events } = await setUp({ checkMs: CHECK_MS })
    await fill('a')
    await redis.incr(GENERATION_KEY)
    await expect.poll(() => has('a'), { timeout: 3000 }).toBe(false)
    // On a busy machine the connection may also have been lost for a moment.
    expect(events).toContain('invalidations-missed')
    await fill('a')
    await new Promise((done) => setTimeout(done, 4 * CHECK_MS))
    expect(await has('a')).toBe(true)
  })

  test('D6 continues after Redis was unavailable and has lost its count, and logs this once', async () => {
    const own = await startRedis()
    const cache = createMemoryPageCache({ limitBytes: 100_000 })
    const events: unknown[] = []
    const log = createLog('renderer', 'info', { write: (line) => void events.push(JSON.parse(line).event) })
    const subscriber = subscribeToInvalidations({ url: own.url, cache, log })
    closing.push(subscriber.close)
    await expect.poll(() => cache.generation()).toBe(1)
    const first = new Redis(own.url.href)
    await createSharedInvalidation({ redis: first, http: { publish: async () => ({ generation: 1 }) }, log }).publish({
      paths: ['/a'],
      tags: [],
    })
    first.disconnect()
    await expect.poll(() => cache.generation()).toBe(2)
    await cache.set('b', '/b', ENTRY, cache.generation())
    await own.stop()
    await expect.poll(() => events).toEqual(['invalidations-away'])
    const again = await startRedis(Number(own.url.port))
    await expect.poll(() => cache.get('b'), { timeout: 5000 }).toBeUndefined()
    await expect.poll(() => events).toEqual(['invalidations-away', 'invalidations-missed', 'invalidations-back'])
    await again.stop()
  })
})
