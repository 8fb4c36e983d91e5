// The feed with a real Redis: the channel, lost connections, lost data, a frozen store.

import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '../testing/redis-server.ts'
import { createFeed } from './feed.ts'
import { createPublisher, type InvalidationPort } from './publish.ts'
import { createRedisGenerationReader, createRedisGenerations } from './redis-generations.ts'
import { subscribeToInvalidations } from './subscribe.ts'

describe.skipIf(!hasRedis())('the feed over Redis', () => {
  let server: StackRedis
  let redis: Redis
  let publisher: InvalidationPort
  const closing: (() => void)[] = []
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    redis = new Redis(server.url.href, { protocol: 2 })
    redis.on('error', () => {})
    publisher = createPublisher({
      store: createRedisGenerations(redis),
      broadcast: (channel, text) => redis.publish(channel, text),
      // No renderer receives the change over HTTP.
      innerUrls: [],
      token: () => 'token',
      log: createLog('actions', 'silent'),
    })
  })
  beforeEach(() => publisher.publish({ paths: [], tags: [] }))
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })
  afterAll(async () => {
    publisher.close()
    redis.disconnect()
    await server.stop()
  })

  const setUp = async () => {
    const events: unknown[] = []
    const log = createLog('renderer', 'info', { write: (line) => void events.push(JSON.parse(line).event) })
    const feed = createFeed({ reader: createRedisGenerationReader(server.urlOf('renderer'), 'test'), log })
    closing.push(feed.close)
    await expect.poll(() => feed.confirm()).toBe('confirmed')
    // The first reads may have come before the connection.
    events.length = 0
    return { feed, events }
  }

  test('D6 a change reaches a subscriber within 100 ms, over the channel alone', async () => {
    const arrived: number[] = []
    const name = 'test-subscriber'
    closing.push(subscribeToInvalidations(server.urlOf('renderer'), name, () => arrived.push(performance.now())))
    await expect.poll(async () => (await redis.pubsub('NUMSUB', 'portico:invalidate'))[1]).toBe(1)
    const waits: number[] = []
    for (let round = 0; round < 20; round++) {
      const sentAt = performance.now()
      await publisher.publish({ paths: ['/a'], tags: [] })
      await expect.poll(() => arrived.length, { interval: 2 }).toBe(round + 1)
      waits.push(arrived[round]! - sentAt)
    }
    expect(waits.toSorted((left, right) => left - right)[10]).toBeLessThan(100)
    // Subscribed again after the connection was lost.
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await expect.poll(async () => (await redis.pubsub('NUMSUB', 'portico:invalidate'))[1]).toBe(1)
    await publisher.publish({ paths: ['/a'], tags: [] })
    await expect.poll(() => arrived.length).toBe(21)
  })

  test('C5 a change without any message is read from the marks, exactly', async () => {
    const { feed, events } = await setUp()
    const asOf = feed.asOf()
    await publisher.publish({ paths: ['/a'], tags: ['t'] })
    await expect.poll(() => feed.isCurrent(asOf, '/a', [])).toBe(false)
    expect([feed.isCurrent(asOf, '/b', []), feed.isCurrent(asOf, '/b', ['t'])]).toEqual([true, false])
    expect(events).toEqual([])
  })

  test('C5 lost data of the store makes everything out of date, once', async () => {
    const { feed, events } = await setUp()
    const asOf = feed.asOf()
    await redis.flushall()
    await publisher.publish({ paths: ['/a'], tags: [] })
    await expect.poll(() => feed.isCurrent(asOf, '/b', [])).toBe(false)
    expect(events).toContain('marks-lost')
    await expect.poll(() => feed.asOf().generation).toBeGreaterThan(asOf.generation)
    const after = feed.asOf()
    await new Promise((done) => setTimeout(done, 400))
    expect(feed.isCurrent(after, '/b', [])).toBe(true)
  })

  test('C5 a frozen store is away, and its marks are taken when it resumes', async () => {
    const { feed, events } = await setUp()
    const asOf = feed.asOf()
    server.pause()
    await expect.poll(() => feed.confirm(), { timeout: 5000 }).toBe('away')
    expect(feed.isCurrent(asOf, '/a', [])).toBe(true)
    server.resume()
    await publisher.publish({ paths: ['/a'], tags: [] })
    await expect.poll(() => feed.isCurrent(asOf, '/a', []), { timeout: 5000 }).toBe(false)
    expect(feed.isCurrent(asOf, '/b', [])).toBe(true)
    expect(events).toEqual(['invalidations-away', 'invalidations-back'])
  })

  test('C5 a store that restarts with its data on disk keeps its epoch', async () => {
    const { feed, events } = await setUp()
    const asOf = feed.asOf()
    await server.restart()
    await expect.poll(() => redis.ping().catch(() => ''), { timeout: 5000 }).toBe('PONG')
    await publisher.publish({ paths: ['/a'], tags: [] })
    await expect.poll(() => feed.isCurrent(asOf, '/a', []), { timeout: 5000 }).toBe(false)
    expect(feed.isCurrent(asOf, '/b', [])).toBe(true)
    expect(events).not.toContain('marks-lost')
  })
})
