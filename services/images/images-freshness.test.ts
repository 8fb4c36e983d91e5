// Old variants, shared work and overload, over HTTP.

import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createEncoderPool, startEncoder } from './encoders/encoders.ts'
import {
  type ImagesUnderTest,
  openPool,
  silentLog,
  startImages,
  type TestOptions,
} from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { halves } from './testing/source-images.ts'

const pool = openPool()
// On a busy machine an encoder takes longer to start than a request waits for one.
beforeAll(() => pool.warm())
afterAll(() => pool.close())
let origin: Origin
let images: ImagesUnderTest
const jpeg = await halves(200, 100)

beforeEach(async () => {
  origin = await startOrigin({
    '/a.jpg': { headers: { 'cache-control': 'max-age=600', 'content-type': 'text/html', etag: '"v1"' }, body: jpeg },
  })
})
afterEach(async () => {
  await images.close()
  await origin.close()
})
const open = async (settings: Partial<ImageSettings> = {}, options: Partial<TestOptions> = {}) => {
  images = await startImages({ siteUrl: origin.url, pool, settings, ...options })
}
const cache = (response: Response) => response.headers.get('x-portico-cache')
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('old variants', () => {
  const renewed = async () => {
    await expect.poll(async () => cache(await images.get('/a.jpg'))).toBe('HIT')
  }

  test('I5 are served immediately during a conditional request to the source, and renewed when the source has not changed', async () => {
    await open()
    origin.responses['/a.jpg'] = (request, response) => {
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304, { 'cache-control': 'max-age=600' }).end()
      else response.writeHead(200, { 'cache-control': 'max-age=600', etag: '"v1"' }).end(jpeg)
    }
    const first = await images.get('/a.jpg')
    images.pass(601)
    const stale = await images.get('/a.jpg')
    expect(cache(stale)).toBe('STALE')
    expect(stale.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    expect(stale.headers.get('cache-status')).toBe('Portico; hit; ttl=-1')
    expect(stale.headers.get('age')).toBe('601')
    await renewed()
    expect(origin.count('/a.jpg')).toBe(2)
    expect((await images.get('/a.jpg')).headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await images.registry.getSingleMetricAsString('portico_images_phase_seconds')).toContain(
      'portico_images_phase_seconds_count{service="images",phase="encode"} 1',
    )
  })

  test('I5 are not encoded again when a source without validators sends the same bytes', async () => {
    await open()
    origin.responses['/a.jpg'] = { headers: { 'cache-control': 'max-age=600' }, body: jpeg }
    await images.get('/a.jpg')
    images.pass(601)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await renewed()
    expect(origin.count('/a.jpg')).toBe(2)
    expect(await images.registry.getSingleMetricAsString('portico_images_phase_seconds')).toContain(
      'portico_images_phase_seconds_count{service="images",phase="encode"} 1',
    )
  })

  test('I5 are replaced when the source changed', async () => {
    await open()
    const first = (await images.get('/a.jpg')).headers.get('etag')
    origin.responses['/a.jpg'] = { headers: { 'cache-control': 'max-age=600' }, body: await halves(100, 100) }
    images.pass(601)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await renewed()
    expect((await images.get('/a.jpg')).headers.get('etag')).not.toBe(first)
  })

  test('I5 are still served when the source fails, and not every client causes a request to the source', async () => {
    await open()
    await images.get('/a.jpg')
    for (const broken of [{ status: 500 }, { status: 200, body: 'no image' }]) {
      origin.responses['/a.jpg'] = broken
      images.pass(700)
      const before = origin.requests.length
      for (let index = 0; index < 10; index++) {
        expect(cache(await images.get('/a.jpg'))).toBe('STALE')
        await new Promise((done) => setTimeout(done, 5))
      }
      expect(origin.requests.length - before).toBe(1)
    }
    // An undecodable source is not requested for a minute, although the pause between refreshes is over.
    images.pass(10)
    const before = origin.requests.length
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await new Promise((done) => setTimeout(done, 30))
    expect(origin.requests.length).toBe(before)
    origin.responses['/a.jpg'] = { headers: { 'cache-control': 'max-age=600' }, body: jpeg }
    images.pass(61)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await renewed()
  })

  test('I5 are deleted when the source responds that it is gone', async () => {
    await open()
    await images.get('/a.jpg')
    origin.responses['/a.jpg'] = { status: 410 }
    images.pass(601)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await expect.poll(async () => (await images.get('/a.jpg')).status).toBe(410)
  })

  test('I5 of a source without lifetime are fresh for 60 seconds', async () => {
    await open()
    origin.responses['/a.jpg'] = jpeg
    await images.get('/a.jpg')
    images.pass(59)
    expect(cache(await images.get('/a.jpg'))).toBe('HIT')
    images.pass(2)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
  })
})

describe('work in progress', () => {
  test('I6 is done once for all requests that arrive meanwhile, and sizes share the fetch', async () => {
    await open()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    origin.responses['/a.jpg'] = (_request, response) =>
      void released.then(() => response.writeHead(200, { 'cache-control': 'max-age=600' }).end(jpeg))
    const sent = [64, 64, 64, 128, 128, 256].map((w) => images.get('/a.jpg', { w }))
    // A later request has its response: all of them have arrived.
    await images.get('/b.jpg')
    release()
    const responses = await Promise.all(sent)
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(origin.count('/a.jpg')).toBe(1)
    expect(await images.registry.getSingleMetricAsString('portico_images_phase_seconds')).toContain(
      'portico_images_phase_seconds_count{service="images",phase="encode"} 3',
    )
  })

  test('I6 failures are cached briefly', async () => {
    await open()
    for (const [status, seconds] of [
      [404, 30],
      [410, 30],
      [500, 5],
    ] as const) {
      const path = `/f${status}.jpg`
      origin.responses[path] = { status }
      const wanted = status === 500 ? 502 : status
      for (let index = 0; index < 3; index++) expect((await images.get(path)).status).toBe(wanted)
      expect(origin.count(path)).toBe(1)
      images.pass(seconds + 1)
      expect((await images.get(path)).status).toBe(wanted)
      expect(origin.count(path)).toBe(2)
    }
  })

  test('I7 is dropped when the client disconnects before the work begins', async () => {
    await open()
    let closed = false
    origin.responses['/slow.jpg'] = (_request, response) => {
      response.once('close', () => {
        closed = true
      })
    }
    const leaver = new AbortController()
    const left = images.get('/slow.jpg', { signal: leaver.signal })
    await expect.poll(() => origin.count('/slow.jpg')).toBe(1)
    leaver.abort()
    await expect(left).rejects.toThrow()
    await expect.poll(() => closed).toBe(true)
  })

  test('I7 does not begin when the client disconnects during the lookup in the store', async () => {
    let respond = () => {}
    let isReading = false
    const responded = new Promise<void>((done) => {
      respond = done
    })
    await open(
      {},
      {
        async beforeStore() {
          isReading = true
          await responded
        },
      },
    )
    const leaver = new AbortController()
    const left = images.get('/a.jpg', { signal: leaver.signal })
    await expect.poll(() => isReading).toBe(true)
    leaver.abort()
    await expect(left).rejects.toThrow()
    // The service responds to this request after it has handled all earlier events.
    for (let count = 0; count < 3; count++) await images.fetch('/nothing')
    respond()
    await images.get('/b.jpg')
    expect(origin.requests.map(({ path }) => path)).toEqual(['/b.jpg'])
  })
})

describe('a full queue', () => {
  const full = { lengths: { viewer: 0, refresh: 0, 'warm-up': 0 } }

  test('I7 responds 503 with Retry-After without a variant to serve', async () => {
    await open({}, { queue: full })
    const response = await images.get('/a.jpg')
    expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'no-store'])
    expect(response.headers.get('cache-status')).toBe('Portico; fwd=miss; detail=queue-full')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(origin.requests).toEqual([])
    expect(await images.registry.metrics()).toContain(
      'portico_images_rejected_total{cause="queue-full",service="images"} 1',
    )
  })

  test('I7 serves cached variants, also old ones, then the nearest wider variant', async () => {
    const limits = { viewer: 10, refresh: 0, 'warm-up': 0 }
    await open({}, { queue: { lengths: limits } })
    await images.get('/a.jpg', { w: 64 })
    const wide = await bytes(await images.get('/a.jpg', { w: 128 }))
    await images.get('/a.jpg', { w: 256 })
    limits.viewer = 0
    expect(cache(await images.get('/a.jpg', { w: 64 }))).toBe('HIT')
    const near = await images.get('/a.jpg', { w: 96 })
    expect(cache(near)).toBe('FALLBACK')
    expect(await images.registry.metrics()).toContain(
      'portico_images_rejected_total{cause="queue-full",service="images"} 1',
    )
    expect(near.headers.get('cache-control')).toBe('no-store')
    expect((await bytes(near)).equals(wide)).toBe(true)
    expect((await images.get('/a.jpg', { w: 384 })).status).toBe(503)
    expect((await images.get('/a.jpg', { w: 96, accept: 'image/avif' })).status).toBe(503)
    images.pass(601)
    expect(cache(await images.get('/a.jpg', { w: 64 }))).toBe('STALE')
    expect(origin.count('/a.jpg')).toBe(3)
  })

  test('I7 refuses prefetches of a browser before viewers', async () => {
    await open({}, { queue: { lengths: { viewer: 10, refresh: 10, 'warm-up': 0 } } })
    expect((await images.get('/a.jpg', { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(503)
    expect((await images.get('/a.jpg')).status).toBe(200)
  })

  test('I7 counts work that is still fetching, so that slow sources cannot fill the memory', async () => {
    await open({}, { mostWork: 2 })
    const slow = { headers: { 'cache-control': 'max-age=600' }, body: jpeg, delayMs: 150 }
    Object.assign(origin.responses, { '/1.jpg': slow, '/2.jpg': slow })
    const two = [images.get('/1.jpg'), images.get('/2.jpg')]
    await expect.poll(() => origin.requests.length).toBe(2)
    expect((await images.get('/3.jpg')).status).toBe(503)
    const joined = images.get('/1.jpg')
    for (const one of [...two, joined]) expect((await one).status).toBe(200)
    expect((await images.get('/a.jpg')).status).toBe(200)
  })
})

test('I7 I11 an encoder that the system kills is 503 for a moment, not an undecodable image', async () => {
  const environment = bareEnvironment()
  const script = fileURLToPath(new URL('./testing/bad-encoder.ts', import.meta.url))
  const pool = createEncoderPool({ slots: 1, log: silentLog, start: () => startEncoder({ environment, script }) })
  try {
    // Quality 4 kills this encoder, as a system without memory does.
    await open({ qualities: [4] }, { pool })
    const { status, headers } = await images.get('/a.jpg')
    expect([status, headers.get('cache-control'), headers.get('retry-after')]).toEqual([503, 'no-store', '5'])
    expect(headers.get('cache-status')).toBe('Portico; fwd=miss')
    // Cached, so that an image that takes all memory is not encoded again immediately.
    expect((await images.get('/a.jpg')).status).toBe(503)
    expect(origin.count('/a.jpg')).toBe(1)
  } finally {
    await pool.close()
  }
})

describe('the total time', () => {
  test('I4 I11 is a deadline over all phases: a late fetch is 504', async () => {
    await open({}, { times: { queuedMs: 150, encodedMs: 150 } })
    origin.responses['/late.jpg'] = { body: jpeg, delayMs: 3000 }
    const started = performance.now()
    expect((await images.get('/late.jpg')).status).toBe(504)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('I7 I11 an encode that reaches the deadline is killed, 504, and not repeated immediately', async () => {
    const environment = bareEnvironment()
    const script = fileURLToPath(new URL('./testing/bad-encoder.ts', import.meta.url))
    const hanging = createEncoderPool({ slots: 1, log: silentLog, start: () => startEncoder({ environment, script }) })
    try {
      // The deadline must not pass while the process starts.
      await hanging.warm()
      // Quality 1 makes this encoder hang.
      await open({ qualities: [1] }, { times: { queuedMs: 300, encodedMs: 300 }, pool: hanging })
      for (let index = 0; index < 2; index++) expect((await images.get('/a.jpg')).status).toBe(504)
      expect(origin.count('/a.jpg')).toBe(1)
      expect(await images.registry.getSingleMetricAsString('portico_images_encoder_faults_total')).toContain(
        '{kind="killed",service="images"} 1',
      )
    } finally {
      await hanging.close()
    }
  })
})
