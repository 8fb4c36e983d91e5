// Several replicas of the service with one Redis.

import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRedisLink, createRedisPurges, type RedisLink } from './cache/cache-redis.ts'
import { createBudget } from './cache/variant-store.ts'
import { type ImagesUnderTest, openPool, silentLog, startImages } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { halves } from './testing/source-images.ts'

const pool = openPool()
// On a busy machine an encoder takes longer to start than a request waits for one.
beforeAll(() => pool.warm())
afterAll(() => pool.close())
const jpeg = await halves(200, 100)

describe.skipIf(!hasRedis())('replicas', () => {
  let redis: StackRedis
  /** A connection of the tests' own. */
  let link: RedisLink
  let origin: Origin
  let replicas: ImagesUnderTest[]
  const verdict = (response: Response) => response.headers.get('x-portico-cache')
  const open = async () => {
    const images = await startImages({ siteUrl: origin.url, pool, redisUrl: redis.urlOf('images') })
    replicas.push(images)
    return images
  }
  beforeAll(async () => {
    redis = await startStackRedis('redis-cache')
    link = createRedisLink(redis.urlOf('images'), silentLog)
    await link.connected(3000)
  })
  afterAll(async () => {
    await link?.close()
    await redis?.stop()
  })
  let run = 0
  let path = ''
  beforeEach(async () => {
    replicas = []
    path = `/image-of-run-${run++}.jpg`
    const headers = { 'cache-control': 'max-age=600', 'cache-tag': `tag-${run} shared` }
    origin = await startOrigin({ [path]: { headers, body: jpeg, delayMs: 50 } })
  })
  afterEach(async () => {
    for (const images of replicas) await images.close()
    await origin.close()
  })

  test('I5 share variants, with equal validators', async () => {
    const [one, two] = [await open(), await open()]
    const made = await one.get(path)
    await expect.poll(async () => verdict(await two.get(path))).toBe('HIT')
    expect((await two.get(path)).headers.get('etag')).toBe(made.headers.get('etag'))
    expect(origin.count(path)).toBeLessThanOrEqual(2)
    const three = await open()
    expect(verdict(await three.get(path))).toBe('HIT')
  })

  test('I6 do identical work once among all replicas', async () => {
    const all = [await open(), await open(), await open()]
    const responses = await Promise.all(all.flatMap((images) => [images.get(path), images.get(path)]))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(origin.count(path)).toBe(1)
    expect(new Set(responses.map(({ headers }) => headers.get('etag'))).size).toBe(1)
    expect(
      responses.filter(({ headers }) => headers.get('cache-status')?.includes('collapsed')).length,
    ).toBeGreaterThan(0)
  })

  test('I6 share cached failures', async () => {
    const [one, two] = [await open(), await open()]
    origin.responses[path] = { status: 500 }
    expect((await one.get(path)).status).toBe(502)
    await expect.poll(async () => (await two.get(path)).status).toBe(502)
    expect(origin.count(path)).toBe(1)
  })

  test('I6 a replica that died with the lock delays the others only until the lock expires', async () => {
    const images = await open()
    const task = await images.get(path)
    expect(task.status).toBe(200)
    // The lock of the next width, as after the death of its holder.
    const { variantKey, keyDigest } = await import('./variant/variant.ts')
    const { variantKeyOf } = await import('./testing.ts')
    const key = variantKey([path, 128, 75, 'webp', '0.2'])
    await link.control(createBudget(1000), (client) =>
      client.set(variantKeyOf('lock', keyDigest(key)), 'dead', 'PX', 700),
    )
    const started = performance.now()
    expect((await images.get(path, { w: 128 })).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(500)
    expect(performance.now() - started).toBeLessThan(4500)
  })

  test.each(['source', 'prefix', 'tag'] as const)(
    'I9 a purge by %s reaches every replica within 100 ms',
    async (kind) => {
      const all = [await open(), await open(), await open()]
      for (const images of all) await expect.poll(async () => verdict(await images.get(path))).toBe('HIT')
      const value = { source: path, prefix: path.slice(0, -4), tag: `tag-${run}` }[kind]
      const spreadMs: number[] = []
      for (let index = 0; index < 5; index++) {
        const { generation: number } = await all[0]!.purges.purge({ kind, value })
        const started = performance.now()
        while (all.some(({ purges }) => purges.current() < number)) await new Promise((done) => setTimeout(done, 1))
        spreadMs.push(performance.now() - started)
      }
      // The median of five: other load on the machine may delay a single purge.
      expect(spreadMs.sort((one, other) => one - other)[2]).toBeLessThan(100)
      const before = origin.count(path)
      expect(verdict(await all[1]!.get(path))).toBe('MISS')
      expect(origin.count(path)).toBe(before + 1)
      await expect.poll(async () => verdict(await all[2]!.get(path))).toBe('HIT')
      // A replica may still be connecting.
      await expect.poll(async () => (await all[0]!.purges.purge({ kind, value })).replicas).toBe(all.length)
    },
  )

  test('I9 a replica that starts later knows earlier purges', async () => {
    const one = await open()
    await one.get(path)
    await expect.poll(async () => verdict(await one.get(path))).toBe('HIT')
    await one.purges.purge({ kind: 'source', value: path })
    const two = await open()
    expect(verdict(await two.get(path))).toBe('MISS')
  })

  test('I9 a replica loads a missed purge although a later one arrives first', async () => {
    const one = await open()
    // As after a broken subscription: the next message may arrive before the replica can load the rules.
    const whenSubscribed: (() => void)[] = []
    const again = Object.create(link, {
      subscribe: { value: (_channel: string, listener: (message: string) => void) => listeners.push(listener) },
      onSubscribed: { value: (listener: () => void) => whenSubscribed.push(listener) },
    }) as RedisLink
    const listeners: ((message: string) => void)[] = []
    const late = createRedisPurges(again, silentLog)
    const target = { kind: 'source', value: path } as const
    await one.purges.purge(target)
    const later = { ...target, value: '/other.jpg' }
    listeners[0]!(`${(await one.purges.purge(later)).generation} ${JSON.stringify(later)}`)
    whenSubscribed[0]!()
    await expect.poll(() => late.isPurged({ source: path, tags: [], generation: 0 })).toBe(true)
  })

  test('I9 work that began before a purge is not served after it', async () => {
    const one = await open()
    origin.responses[path] = { headers: { 'cache-control': 'max-age=600' }, body: jpeg, delayMs: 200 }
    const early = one.get(path)
    await expect.poll(() => origin.count(path)).toBe(1)
    await one.purges.purge({ kind: 'source', value: path })
    const late = await one.get(path)
    expect((await early).status).toBe(200)
    expect(verdict(late)).toBe('MISS')
    expect(origin.count(path)).toBe(2)
    expect(verdict(await one.get(path))).toBe('HIT')
  })

  test('I9 a replica restores purges that Redis has evicted', async () => {
    const one = await open()
    await one.get(path)
    await expect.poll(async () => verdict(await one.get(path))).toBe('HIT')
    await one.purges.purge({ kind: 'source', value: path })
    const { PURGE_COUNTER_KEY, REDIS_PREFIX } = await import('./testing.ts')
    await link.control(createBudget(1000), (client) => client.del(PURGE_COUNTER_KEY, `${REDIS_PREFIX}:purges`))
    const two = await open()
    await expect
      .poll(async () => {
        for (const images of [one, two]) await images.get(`/nothing-${Math.random()}.jpg`)
        return two.purges.current()
      })
      .toBe(one.purges.current())
    expect(two.purges.isPurged({ source: path, tags: [], generation: 0 })).toBe(true)
  })

  test('I9 O6 a purge overwrites a damaged counter', async () => {
    const one = await open()
    const { PURGE_COUNTER_KEY } = await import('./testing.ts')
    await link.control(createBudget(1000), (client) => client.set(PURGE_COUNTER_KEY, 'rubbish'))
    const { generation: number } = await one.purges.purge({ kind: 'source', value: path })
    expect(await link.control(createBudget(1000), (client) => client.get(PURGE_COUNTER_KEY))).toBe(String(number))
  })

  test('O6 no request fails while Redis is frozen, and hits are still hits', async () => {
    const one = await open()
    await one.get(path)
    await expect.poll(async () => verdict(await one.get(path))).toBe('HIT')
    redis.pause()
    try {
      const times: number[] = []
      for (let index = 0; index < 4; index++) {
        const started = performance.now()
        expect(verdict(await one.get(path))).toBe('HIT')
        times.push(performance.now() - started)
      }
      // Four, since the breaker opens at the fifth fault: none of them may have waited its budget for Redis.
      expect(Math.min(...times)).toBeLessThan(45)
      for (const w of [16, 32, 48]) expect((await one.get(path, { w })).status).toBe(200)
      expect(verdict(await one.get(path, { w: 48 }))).toBe('HIT')
    } finally {
      redis.resume()
    }
  })
})
