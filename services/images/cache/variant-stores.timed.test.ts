// One contract for all stores of variants, run by each implementation.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PURGE_COUNTER_KEY, variantKeyOf } from '../testing.ts'
import { failureKey, keyDigest, type Variant, variantKey } from '../variant/variant.ts'
import { createRedisLink, createRedisStore, type RedisLink } from './cache-redis.ts'
import { createDiskStore, createMemoryStore } from './local-stores.ts'
import { createBudget, decodeVariant, encodeVariant, type VariantStore } from './variant-store.ts'

const log = pino({ level: 'silent' })

function variant(source: string, body: Buffer | string = 'body', width = 640): Variant {
  const meta: Variant['meta'] = {
    key: variantKey([source, width, 75, 'webp']),
    kind: 'image',
    source,
    tags: ['a', 'b'],
    type: 'image/webp',
    etag: '"e"',
    storedAt: 1,
    freshUntil: 2,
    generation: 3,
    passThrough: false,
    validators: { etag: '"s"', hash: 'h' },
  }
  return { meta, body: Buffer.from(body) }
}

function contract(open: () => Promise<VariantStore>) {
  let store: VariantStore
  beforeEach(async () => {
    store = await open()
  })
  afterEach(() => store.close())
  const get = async (key: string) => (await store.getMany([key], createBudget(1000)))[0]

  test('I5 returns stored variants, header and bytes', async () => {
    const kept = variant('/a.png', Buffer.from([0, 255, 10, 13, 0]))
    expect(await store.set(kept, 60_000)).toBe(true)
    expect(await get(kept.meta.key)).toEqual(kept)
  })

  test('I5 returns variants in the order of their keys', async () => {
    const [first, second] = [variant('/1.png', 'one'), variant('/2.png', 'two')]
    await store.set(first, 60_000)
    await store.set(second, 60_000)
    const found = await store.getMany([second.meta.key, 'nothing', first.meta.key], createBudget(1000))
    expect(found.map((entry) => entry?.body.toString())).toEqual(['two', undefined, 'one'])
  })

  test('I5 replaces and deletes variants, and finds no unknown key', async () => {
    const kept = variant('/b.png', 'old')
    await store.set(kept, 60_000)
    await store.set({ ...kept, body: Buffer.from('new') }, 60_000)
    expect((await get(kept.meta.key))?.body.toString()).toBe('new')
    await store.delete(kept.meta.key)
    expect(await get(kept.meta.key)).toBeUndefined()
    await store.delete(kept.meta.key)
  })

  test('I5 returns no variant after its time', async () => {
    const kept = variant('/c.png')
    await store.set(kept, 40)
    expect(await get(kept.meta.key)).toBeDefined()
    await new Promise((done) => setTimeout(done, 80))
    expect(await get(kept.meta.key)).toBeUndefined()
    expect(await store.set(kept, 0)).toBe(false)
  })

  test('I6 stores a failure next to the image of the same work', async () => {
    const kept = variant('/d.png')
    const failure: Variant = {
      meta: { ...kept.meta, key: failureKey(kept.meta.key), kind: 'failure', failure: { status: 502, text: 'away' } },
      body: Buffer.alloc(0),
    }
    await store.set(kept, 60_000)
    await store.set(failure, 60_000)
    expect(await get(kept.meta.key)).toEqual(kept)
    expect(await get(failure.meta.key)).toEqual(failure)
  })

  test('I5 stores a variant of a megabyte', async () => {
    const kept = variant('/big.png', Buffer.alloc(1_000_000, 7))
    expect(await store.set(kept, 60_000)).toBe(true)
    expect((await get(kept.meta.key))?.body.equals(kept.body)).toBe(true)
  })

  test('O4 reports that the store responds', async () => {
    expect(await store.probe()).toBe(true)
  })
}

describe('names of variants', () => {
  test('I5 no two requests share a key, however their source is spelt', () => {
    const parts = ['', '1', '12', ',', ':', '1:1', 'a,1:2', '/a.png?v=20', '/a.png?v=']
    const keys = new Set<string>()
    for (const source of parts)
      for (const width of ['', '2', '48', '2048', ',1:']) keys.add(variantKey([source, width]))
    expect(keys.size).toBe(parts.length * 5)
    expect(variantKey(['/a.png?v=20', 48])).not.toBe(variantKey(['/a.png?v=', 2048]))
  })
})

describe('the binary form', () => {
  test('O6 each damaged byte results in a miss', () => {
    const kept = variant('/a.png', 'some bytes')
    const bytes = encodeVariant(kept)
    expect(decodeVariant(bytes, kept.meta.key)).toEqual(kept)
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes)
      damaged[at] = damaged[at]! ^ 1
      expect(decodeVariant(damaged, kept.meta.key)).toBeUndefined()
      expect(decodeVariant(bytes.subarray(0, at), kept.meta.key)).toBeUndefined()
    }
    expect(decodeVariant(bytes, 'another key')).toBeUndefined()
  })
})

describe('memory', () => {
  contract(async () => createMemoryStore(8_000_000))

  test('I5 does not exceed its limit and evicts the least recently used variant', async () => {
    const memory = createMemoryStore(100_000)
    for (let index = 0; index < 50; index++) {
      memory.put(variant(`/${index}.png`, Buffer.alloc(9000)), 60_000)
      memory.get(variant('/0.png').meta.key)
      expect(memory.bytes).toBeLessThanOrEqual(100_000)
    }
    expect(memory.get(variant('/0.png').meta.key)).toBeDefined()
    expect(memory.get(variant('/1.png').meta.key)).toBeUndefined()
    memory.put(variant('/huge.png', Buffer.alloc(60_000)), 60_000)
    expect(memory.get(variant('/huge.png').meta.key)).toBeUndefined()
    expect(memory.get(variant('/0.png').meta.key)).toBeDefined()
  })
})

describe('disk', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'portico-images-'))
  })
  afterAll(() => rm(dir, { recursive: true }))

  contract(() => createDiskStore({ dir, limitBytes: 100_000_000, log }))

  test('I5 finds variants after a restart', async () => {
    const kept = variant('/restart.png')
    await (await createDiskStore({ dir, limitBytes: 10_000_000, log })).set(kept, 60_000)
    const again = await createDiskStore({ dir, limitBytes: 10_000_000, log })
    expect((await again.getMany([kept.meta.key], createBudget()))[0]).toEqual(kept)
  })

  test('I5 does not exceed its limit and keeps the most recently used variants', async () => {
    const own = join(dir, 'small')
    let clock = 1_000_000
    const store = await createDiskStore({ dir: own, limitBytes: 100_000, log, now: () => clock })
    for (let index = 0; index < 40; index++) {
      clock += 1000
      await store.set(variant(`/${index}.png`, Buffer.alloc(9000)), 1e9)
      await store.getMany([variant('/0.png').meta.key], createBudget())
      // The cache writes the time of last use after it returns.
      await new Promise((done) => setTimeout(done, 2))
    }
    const names = (await readdir(own, { recursive: true })).filter((name) => name.length > 30)
    expect(names.length).toBeLessThanOrEqual(11)
    expect((await store.getMany([variant('/0.png').meta.key], createBudget()))[0]).toBeDefined()
    expect((await store.getMany([variant('/1.png').meta.key], createBudget()))[0]).toBeUndefined()
  })

  test('K3 I5 processes that share the folder do not exceed its limit together', async () => {
    const own = await mkdtemp(join(dir, 'shared-'))
    const open = () => createDiskStore({ dir: own, limitBytes: 100_000, log })
    const stores = await Promise.all([open(), open(), open()])
    for (let index = 0; index < 27; index++)
      await stores[index % 3]!.set(variant(`/${index}.png`, Buffer.alloc(9000)), 1e9)
    const names = (await readdir(own, { recursive: true })).filter((name) => name.length > 30)
    expect(names.length).toBeLessThanOrEqual(11)
  })

  test('O6 O7 reports when the folder is not writable, and when it is writable again', async () => {
    const own = join(dir, 'replaced')
    const store = await createDiskStore({ dir: own, limitBytes: 10_000_000, log })
    expect(store.available).toBe(true)
    await rm(own, { recursive: true })
    await writeFile(own, 'where the folder was')
    expect(await store.set(variant('/no-folder.png'), 60_000)).toBe(false)
    expect(store.available).toBe(false)
    await rm(own)
    expect(await store.set(variant('/no-folder.png'), 60_000)).toBe(true)
    expect(store.available).toBe(true)
  })

  test('O6 treats a damaged file as a miss', async () => {
    const kept = variant('/rubbish.png')
    const store = await createDiskStore({ dir, limitBytes: 10_000_000, log })
    await store.set(kept, 60_000)
    const digest = keyDigest(kept.meta.key)
    await writeFile(join(dir, digest.slice(0, 2), digest.slice(2)), 'rubbish that is long enough to look like a header')
    expect((await store.getMany([kept.meta.key], createBudget()))[0]).toBeUndefined()
  })
})

describe.skipIf(!hasRedis())('Redis', () => {
  let server: StackRedis
  let link: RedisLink
  let counters: (number | undefined)[] = []
  const open = () => createRedisStore({ link, observePurges: async (counter) => void counters.push(counter) })
  beforeAll(async () => {
    server = await startStackRedis('redis-cache')
    link = createRedisLink(server.urlOf('images'), log)
    expect(await link.connected(3000)).toBe(true)
  })
  afterAll(async () => {
    await link.close()
    await server.stop()
  })

  contract(async () => open())

  test('I9 reads the purge counter with every variant', async () => {
    const redis = new Redis(server.url.href)
    await redis.set(PURGE_COUNTER_KEY, '42')
    counters = []
    await open().getMany(['x'], createBudget(1000))
    await redis.del(PURGE_COUNTER_KEY)
    await open().getMany(['x'], createBudget(1000))
    redis.disconnect()
    expect(counters).toEqual([42, undefined])
  })

  test('O6 treats damaged values, other types and other keys as misses', async () => {
    const redis = new Redis(server.url.href)
    const kept = variant('/rubbish.png')
    const redisKey = variantKeyOf('v', keyDigest(kept.meta.key))
    await redis.set(redisKey, 'rubbish that is long enough to look like a header')
    expect(await open().getMany([kept.meta.key], createBudget(1000))).toEqual([undefined])
    await redis.del(redisKey)
    await redis.lpush(redisKey, 'a list')
    expect(await open().getMany([kept.meta.key], createBudget(1000))).toEqual([undefined])
    await redis.del(redisKey)
    redis.disconnect()
  })

  test('O6 a full Redis refuses writes and is still read', async () => {
    const store = open()
    const kept = variant('/before.png')
    await store.set(kept, 60_000)
    const redis = new Redis(server.url.href)
    await redis.config('SET', 'maxmemory', '1mb', 'maxmemory-policy', 'noeviction')
    try {
      for (let index = 0; index < 8; index++) expect(await store.set(variant(`/full-${index}.png`), 60_000)).toBe(false)
      expect(link.available).toBe(true)
      expect((await store.getMany([kept.meta.key], createBudget(1000)))[0]).toEqual(kept)
    } finally {
      await redis.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'allkeys-lru')
      redis.disconnect()
    }
  })

  test('O6 a frozen Redis costs one budget, then nothing, and is used again automatically', async () => {
    const store = open()
    const kept = variant('/frozen.png')
    await store.set(kept, 60_000)
    server.pause()
    const started = performance.now()
    expect(await store.getMany([kept.meta.key], createBudget())).toEqual([undefined])
    expect(performance.now() - started).toBeLessThan(150)
    for (let index = 0; index < 6; index++) await store.getMany([kept.meta.key], createBudget())
    expect(link.available).toBe(false)
    const later = performance.now()
    for (let index = 0; index < 100; index++) await store.getMany([kept.meta.key], createBudget())
    expect(performance.now() - later).toBeLessThan(150)
    server.resume()
    await expect
      .poll(async () => (await store.getMany([kept.meta.key], createBudget()))[0]?.meta.source, { timeout: 5000 })
      .toBe('/frozen.png')
  })

  test('O6 an unavailable Redis is a miss immediately and is used again when it is available', async () => {
    const store = open()
    const kept = variant('/gone.png')
    await server.stop()
    expect(await store.getMany([kept.meta.key], createBudget())).toEqual([undefined])
    expect(await store.set(kept, 60_000)).toBe(false)
    expect(await store.probe()).toBe(false)
    server = await startStackRedis('redis-cache', server.port)
    await expect.poll(() => store.set(kept, 60_000), { timeout: 8000 }).toBe(true)
    expect((await store.getMany([kept.meta.key], createBudget(1000)))[0]).toEqual(kept)
  })
})
