import sharp from 'sharp'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ImageSettings } from '../shared/wire/build-output.ts'
import { type ImagesUnderTest, openImages, openPool, type TestOptions } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { animated, animatedPng, bombPng, halves, SVG } from './testing/pictures.ts'

const pool = openPool()
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
  images = await openImages({ siteUrl: origin.url, pool, settings, ...options })
}
const cache = (response: Response) => response.headers.get('x-portico-cache')
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('an image', () => {
  test('I2 I5 is made, then served from memory with every header', async () => {
    await open()
    const made = await images.get('/a.jpg')
    expect(made.status).toBe(200)
    const body = await bytes(made)
    expect(await sharp(body).metadata()).toMatchObject({ format: 'webp', width: 64, height: 32 })
    expect(Object.fromEntries(made.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(body.length),
      vary: 'Accept',
      'x-portico-cache': 'MISS',
      'cache-status': 'Portico; fwd=miss; stored',
      'cache-control': 'public, max-age=600, must-revalidate',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="a.webp"',
      'content-security-policy': expect.stringContaining('sandbox'),
      'server-timing': expect.stringMatching(
        /^fetch;dur=[\d.]+, queue;dur=[\d.]+, decode;dur=[\d.]+, encode;dur=[\d.]+$/,
      ),
      age: '0',
    })
    images.pass(100)
    const kept = await images.get('/a.jpg')
    expect(cache(kept)).toBe('HIT')
    expect((await bytes(kept)).equals(body)).toBe(true)
    expect(kept.headers.get('age')).toBe('100')
    expect(kept.headers.get('cache-control')).toBe('public, max-age=500, must-revalidate')
    expect(kept.headers.get('cache-status')).toBe('Portico; hit; ttl=500')
    expect(kept.headers.get('etag')).toBe(made.headers.get('etag'))
    expect(kept.headers.get('etag')).toMatch(/^"[\w-]{27}"$/)
    expect(origin.count('/a.jpg')).toBe(1)
  })

  test('I2 is AVIF, WebP or JPEG as the client accepts, one cache entry each', async () => {
    await open()
    const types: (string | null)[] = []
    for (const accept of ['image/avif,image/webp', 'image/webp,*/*', '*/*', 'image/avif;q=1.0,image/webp;q=0.9'])
      types.push((await images.get('/a.jpg', { accept })).headers.get('content-type'))
    expect(types).toEqual(['image/avif', 'image/webp', 'image/jpeg', 'image/avif'])
    expect(cache(await images.get('/a.jpg', { accept: 'image/avif, image/webp;q=0.2' }))).toBe('HIT')
  })

  test('I5 answers 304 to its validator, without a body', async () => {
    await open()
    const etag = (await images.get('/a.jpg')).headers.get('etag')!
    for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await images.get('/a.jpg', { headers: { 'if-none-match': given } })
      expect(answer.status).toBe(304)
      expect(await answer.text()).toBe('')
      expect(answer.headers.get('etag')).toBe(etag)
      expect(answer.headers.get('cache-control')).toContain('max-age')
    }
    expect((await images.get('/a.jpg', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test('I5 may be kept by browsers for an hour, or for all its time when its path is hashed', async () => {
    await open()
    const body = { headers: { 'cache-control': 'max-age=31536000' }, body: jpeg }
    Object.assign(origin.answers, { '/b.jpg': body, '/hero-0a1b2c3d.jpg': body, '/_portico/static/x.jpg': body })
    expect((await images.get('/b.jpg')).headers.get('cache-control')).toBe('public, max-age=3600, must-revalidate')
    for (const path of ['/hero-0a1b2c3d.jpg', '/_portico/static/x.jpg'])
      expect((await images.get(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('I5 is not kept by anyone when its source says no-store or private', async () => {
    await open()
    for (const directive of ['no-store', 'private, max-age=600']) {
      origin.answers['/p.jpg'] = { headers: { 'cache-control': directive }, body: jpeg }
      const first = await images.get('/p.jpg')
      expect(first.headers.get('cache-control')).toBe('private, no-store')
      expect(first.headers.get('cache-status')).toBe('Portico; fwd=miss')
      expect(cache(await images.get('/p.jpg'))).toBe('MISS')
    }
    expect(origin.count('/p.jpg')).toBe(4)
  })

  test('I1 is served at basePath and at the address of the image optimiser that authors know', async () => {
    origin.answers['/shop/a.jpg'] = jpeg
    await open({}, { basePath: '/shop' })
    expect((await images.fetch('/shop/_portico/image?url=/shop/a.jpg&w=64&q=75')).status).toBe(200)
    expect((await images.fetch('/shop/_next/image?url=/shop/a.jpg&w=64&q=75')).status).toBe(200)
    for (const path of ['/_portico/image?url=/shop/a.jpg&w=64', '/shop/_portico/image/x', '/'])
      expect((await images.fetch(path)).status).toBe(404)
  })

  test('E6 answers HEAD like GET without a body, and 405 to other methods', async () => {
    await open()
    const path = '/_portico/image?url=/a.jpg&w=64'
    const head = await images.fetch(path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0)
    expect(await head.text()).toBe('')
    const post = await images.fetch(path, { method: 'POST', body: 'x' })
    expect(post.status).toBe(405)
    expect(post.headers.get('allow')).toBe('GET, HEAD')
  })

  test('I1 a refused parameter is a 400 that names it, and nothing is fetched', async () => {
    await open()
    const answer = await images.fetch('/_portico/image?url=/a.jpg&w=65')
    expect(answer.status).toBe(400)
    expect(await answer.text()).toMatch(/^400 w="65" must be one of 16, 32/)
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(origin.asked).toEqual([])
  })
})

describe('sources that are not encoded', () => {
  test('I3 animated pictures pass through untouched in a sandbox', async () => {
    await open({ contentSecurityPolicy: "default-src 'none'" })
    for (const [name, body, type] of [
      ['/a.gif', await animated('gif'), 'image/gif'],
      ['/a.webp', await animated('webp'), 'image/webp'],
      ['/a.png', await animatedPng(3), 'image/png'],
    ] as const) {
      origin.answers[name] = body
      const answer = await images.get(name)
      expect(answer.headers.get('content-type')).toBe(type)
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox;")
      expect((await bytes(answer)).equals(body)).toBe(true)
    }
  })

  test('I3 SVG is refused unless the site allows it, and then sandboxed', async () => {
    origin.answers['/a.svg'] = { headers: { 'content-type': 'image/png' }, body: SVG }
    await open()
    const refused = await images.get('/a.svg')
    expect(refused.status).toBe(415)
    expect(await refused.text()).not.toContain('<svg')
    await images.close()
    await open({ dangerouslyAllowSVG: true })
    const answer = await images.get('/a.svg')
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.svg"')
    expect(await answer.text()).toBe(SVG)
  })

  test('I3 what is no picture is 415 and never passed on, whatever type it claims', async () => {
    await open()
    const cut = jpeg.subarray(0, 300)
    for (const [name, body] of [
      ['/page.jpg', '<html><script>alert(1)</script>'],
      ['/cut.jpg', cut],
      ['/empty.jpg', ''],
    ] as const) {
      origin.answers[name] = { headers: { 'content-type': 'image/jpeg' }, body }
      const answer = await images.get(name)
      expect(answer.status).toBe(415)
      expect(await answer.text()).toMatch(/^415 The source/)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
    }
  })

  test('I4 a bomb is 413', async () => {
    await open()
    origin.answers['/bomb.png'] = bombPng(50_000, 50_000)
    expect((await images.get('/bomb.png')).status).toBe(413)
    origin.answers['/frames.png'] = await animatedPng(100_000)
    expect((await images.get('/frames.png')).status).toBe(413)
  })

  test('I8 answers size and placeholder as JSON behind the same allow-list', async () => {
    await open({ localPatterns: [{ pathname: '/*.jpg' }] })
    const answer = await images.fetch('/_portico/image?url=/a.jpg&placeholder=1')
    const facts = (await answer.json()) as { placeholder: string }
    expect(facts).toMatchObject({ type: 'image/jpeg', width: 200, height: 100, frames: 1 })
    expect(facts.placeholder).toMatch(/^data:image\/webp;base64,/)
    expect(facts.placeholder.length).toBeLessThan(300)
    expect(cache(await images.fetch('/_portico/image?url=/a.jpg&placeholder=1'))).toBe('HIT')
    expect((await images.fetch('/_portico/image?url=/b/c.png&placeholder=1')).status).toBe(400)
  })
})

describe('old variants', () => {
  const renewed = async () => {
    await expect.poll(async () => cache(await images.get('/a.jpg'))).toBe('HIT')
  }

  test('I5 are served at once while the source is asked again, and kept when it did not change', async () => {
    await open()
    origin.answers['/a.jpg'] = (request, response) => {
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
      'portico_images_phase_seconds_count{phase="encode"} 1',
    )
  })

  test('I5 are replaced when the source changed', async () => {
    await open()
    const first = (await images.get('/a.jpg')).headers.get('etag')
    origin.answers['/a.jpg'] = { headers: { 'cache-control': 'max-age=600' }, body: await halves(100, 100) }
    images.pass(601)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await renewed()
    expect((await images.get('/a.jpg')).headers.get('etag')).not.toBe(first)
  })

  test('I5 are served still when the source fails, which is not asked by every visitor', async () => {
    await open()
    await images.get('/a.jpg')
    for (const broken of [{ status: 500 }, { status: 200, body: 'no picture' }]) {
      origin.answers['/a.jpg'] = broken
      images.pass(700)
      const before = origin.asked.length
      for (let index = 0; index < 10; index++) {
        expect(cache(await images.get('/a.jpg'))).toBe('STALE')
        await new Promise((done) => setTimeout(done, 5))
      }
      expect(origin.asked.length - before).toBe(1)
    }
    origin.answers['/a.jpg'] = { headers: { 'cache-control': 'max-age=600' }, body: jpeg }
    images.pass(61)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await renewed()
  })

  test('I5 go when the source says that it is gone', async () => {
    await open()
    await images.get('/a.jpg')
    origin.answers['/a.jpg'] = { status: 410 }
    images.pass(601)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await expect.poll(async () => (await images.get('/a.jpg')).status).toBe(410)
  })

  test('I5 of a source without lifetime are fresh for 60 seconds', async () => {
    await open()
    origin.answers['/a.jpg'] = jpeg
    await images.get('/a.jpg')
    images.pass(59)
    expect(cache(await images.get('/a.jpg'))).toBe('HIT')
    images.pass(2)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
  })
})

describe('work in progress', () => {
  test('I6 is done once for all who ask meanwhile, and sizes share the fetch', async () => {
    await open()
    origin.answers['/a.jpg'] = { headers: { 'cache-control': 'max-age=600' }, body: jpeg, delayMs: 60 }
    const answers = await Promise.all([64, 64, 64, 128, 128, 256].map((w) => images.get('/a.jpg', { w })))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(origin.count('/a.jpg')).toBe(1)
    expect(await images.registry.getSingleMetricAsString('portico_images_phase_seconds')).toContain(
      'portico_images_phase_seconds_count{phase="encode"} 3',
    )
  })

  test('I6 failures are remembered briefly', async () => {
    await open()
    for (const [status, seconds] of [
      [404, 30],
      [410, 30],
      [500, 5],
    ] as const) {
      const path = `/f${status}.jpg`
      origin.answers[path] = { status }
      const wanted = status === 500 ? 502 : status
      for (let index = 0; index < 3; index++) expect((await images.get(path)).status).toBe(wanted)
      expect(origin.count(path)).toBe(1)
      images.pass(seconds + 1)
      expect((await images.get(path)).status).toBe(wanted)
      expect(origin.count(path)).toBe(2)
    }
  })

  test('I7 is dropped when the visitor leaves before it began', async () => {
    await open()
    let closed = false
    origin.answers['/slow.jpg'] = (_request, response) => {
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
})

describe('a full queue', () => {
  const full = { lengths: { viewer: 0, refresh: 0, 'warm-up': 0 } }

  test('I7 answers 503 with Retry-After when there is nothing to show', async () => {
    await open({}, { queue: full })
    const answer = await images.get('/a.jpg')
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(origin.asked).toEqual([])
  })

  test('I7 serves cached answers, old ones too, then the nearest wider variant', async () => {
    const limits = { viewer: 10, refresh: 0, 'warm-up': 0 }
    await open({}, { queue: { lengths: limits } })
    await images.get('/a.jpg', { w: 64 })
    const wide = await bytes(await images.get('/a.jpg', { w: 128 }))
    await images.get('/a.jpg', { w: 256 })
    limits.viewer = 0
    expect(cache(await images.get('/a.jpg', { w: 64 }))).toBe('HIT')
    const near = await images.get('/a.jpg', { w: 96 })
    expect(cache(near)).toBe('FALLBACK')
    expect(near.headers.get('cache-control')).toBe('no-store')
    expect((await bytes(near)).equals(wide)).toBe(true)
    expect((await images.get('/a.jpg', { w: 384 })).status).toBe(503)
    expect((await images.get('/a.jpg', { w: 96, accept: 'image/avif' })).status).toBe(503)
    images.pass(601)
    expect(cache(await images.get('/a.jpg', { w: 64 }))).toBe('STALE')
    expect(origin.count('/a.jpg')).toBe(3)
  })
})
