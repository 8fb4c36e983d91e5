// The limit of images that are made for one client (I7), over HTTP.

import { createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openColdLimit } from './cache/cache.ts'
import { createRedisLink } from './cache/cache-redis.ts'
import { readImagesConfig } from './config.ts'
import { type ImagesUnderTest, openPool, silentLog, startImages } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { halves } from './testing/source-images.ts'

const pool = openPool()
beforeAll(() => pool.warm())
afterAll(() => pool.close())
const jpeg = await halves(200, 100)
let origin: Origin
let images: ImagesUnderTest
let now: number

beforeEach(async () => {
  now = 0
  origin = await startOrigin({
    '/a.jpg': { headers: { 'cache-control': 'max-age=600' }, body: jpeg },
    '/b.jpg': { headers: { 'cache-control': 'max-age=600' }, body: jpeg },
    '/missing.jpg': (_request, response) => void response.writeHead(404).end(),
  })
  const coldLimit = createClientLimit({ perMinute: 2, now: () => now })
  images = await startImages({ siteUrl: origin.url, pool, coldLimit })
})
afterEach(async () => {
  await images.close()
  await origin.close()
})

const get = (path: string, w: number, client = '192.0.2.1') =>
  images.get(path, { w, headers: { 'x-forwarded-for': client } })
const verdictOf = ({ status, headers }: Response) => `${status} ${headers.get('x-portico-cache')}`

test('I7 E2 more get a wider image of the cache, or 429 with Retry-After; other clients and cached images none', async () => {
  expect(await images.registry.metrics()).toContain(
    'portico_images_rejected_total{cause="client-limit",service="images"} 0',
  )
  expect(verdictOf(await get('/a.jpg', 64))).toBe('200 MISS')
  expect(verdictOf(await get('/a.jpg', 256))).toBe('200 MISS')
  const refused = await get('/b.jpg', 64)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect(refused.headers.get('cache-control')).toBe('no-store')
  expect(refused.headers.get('cache-status')).toBe('Portico; fwd=miss; detail=client-limit')
  expect(await refused.text()).toContain('Too many requests')
  expect(origin.count('/b.jpg')).toBe(0)
  expect(verdictOf(await get('/a.jpg', 64))).toBe('200 HIT')
  expect(verdictOf(await get('/a.jpg', 128))).toBe('200 FALLBACK')
  expect(verdictOf(await get('/b.jpg', 64, '192.0.2.2'))).toBe('200 MISS')
  expect(verdictOf(await get('/b.jpg', 64))).toBe('200 HIT')
  expect(await images.registry.metrics()).toContain(
    'portico_images_rejected_total{cause="client-limit",service="images"} 2',
  )
  now = 30_000
  expect(verdictOf(await get('/b.jpg', 128))).toBe('200 MISS')
})

test('I7 a client that joins running work uses no turn, nor does a remembered failure or the refresh of an old image', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const headers = { 'cache-control': 'max-age=600' }
  origin.responses['/a.jpg'] = (_request, response) =>
    void released.then(() => response.writeHead(200, headers).end(jpeg))
  const first = get('/a.jpg', 64)
  await expect.poll(() => origin.count('/a.jpg')).toBe(1)
  const others = Array.from({ length: 3 }, () => get('/a.jpg', 64))
  // The service responds to this request after it has handled the earlier ones.
  await images.fetch('/nothing')
  release()
  const joined = await Promise.all([first, ...others])
  expect(joined.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  images.pass(601)
  expect(verdictOf(await get('/a.jpg', 64))).toMatch(/200 (STALE|HIT)/)
  const missing = [await get('/missing.jpg', 64), await get('/missing.jpg', 64), await get('/missing.jpg', 64)]
  expect(missing.map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await get('/b.jpg', 64)).status).toBe(429)
})

test('I7 a client above its limit joins work that another request of the client has begun meanwhile', async () => {
  await images.close()
  // The store of the turns responds to both requests at the same time.
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const waits = [0, 30_000]
  const take = async () => {
    const waitMs = waits.shift()!
    if (waits.length === 0) release()
    await released
    return waitMs
  }
  images = await startImages({ siteUrl: origin.url, pool, coldLimit: { peek: () => 0, take } })
  const both = await Promise.all([get('/a.jpg', 64), get('/a.jpg', 64)])
  expect([both.map(({ status }) => status), waits]).toEqual([[200, 200], []])
  expect(origin.count('/a.jpg')).toBe(1)
})

test('I7 RATE_LIMIT_COLD_IMAGES is off by default', () => {
  expect(readImagesConfig({}).coldImagesPerMinute).toBe(0)
  expect(readImagesConfig({ RATE_LIMIT_COLD_IMAGES: '120' }).coldImagesPerMinute).toBe(120)
})

test.skipIf(!hasRedis())(
  'I7 O6 replicas count together in the cache Redis, and each for itself while it is frozen',
  async () => {
    const server = await startStackRedis('redis-cache')
    const links = [1, 2].map(() => createRedisLink(server.urlOf('images'), silentLog))
    await Promise.all(links.map((link) => link.connected(5000)))
    const limits = links.map((link) => openColdLimit({ perMinute: 3, link, secret: '', log: silentLog })!)
    const turns = async (client: string, count: number) => {
      const taken: boolean[] = []
      for (let turn = 0; turn < count; turn++) taken.push((await limits[turn % 2]!.take(client)) === 0)
      return taken
    }
    // A busy machine may take more than 50 ms: the replica then counts for itself.
    let tried = 0
    await expect
      .poll(() => turns(`192.0.2.${tried++}`, 5), { timeout: 10_000 })
      .toEqual([true, true, true, false, false])
    server.pause()
    expect(await turns('198.51.100.1', 8)).toEqual([true, true, true, true, true, true, false, false])
    server.resume()
    for (const link of links) await link.close()
    await server.stop()
  },
)

test('I7 a replica without a shared cache counts for itself, which the log says at the start', async () => {
  const lines: string[] = []
  const log = createLog('images', 'warn', { write: (line: string) => void lines.push(line) })
  const limit = openColdLimit({ perMinute: 1, link: undefined, secret: '', log })!
  expect([await limit.take('192.0.2.1'), (await limit.take('192.0.2.1')) > 0]).toEqual([0, true])
  expect(lines).toEqual([expect.stringContaining('limits-local')])
  expect(openColdLimit({ perMinute: 0, link: undefined, secret: '', log })).toBeUndefined()
})
