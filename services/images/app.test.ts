import { createLog } from '@portico/shared/kit/observe/log.ts'
import { matchingHeaders, otherHeaders } from '@portico/shared/kit/testing/if-none-match.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ImagesUnderTest, openPool, startImages, type TestOptions } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { animated, animatedPng, bombPng, halves, SVG } from './testing/source-images.ts'

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

describe('the log', () => {
  test('G7 has one line per request with verdict and format, without path and query of the source', async () => {
    const lines: Record<string, unknown>[] = []
    const log = createLog('images', 'info', { write: (text: string) => void lines.push(JSON.parse(text)) })
    await open({}, { log })
    await images.get('/a.jpg', { headers: { 'x-request-id': '0123456789abcdef' } })
    await images.get('/away.jpg')
    await images.fetch('/elsewhere?secret=1')
    await expect.poll(() => lines.length).toBe(3)
    const line = { event: 'request', method: 'GET', path: '/_portico/image', ms: expect.any(Number) }
    const requestId = '0123456789abcdef'
    expect(lines[0]).toMatchObject({ ...line, level: 'info', status: 200, requestId, cache: 'MISS', width: 64 })
    expect(lines[1]).toMatchObject({ ...line, level: 'warn', status: 404, reason: expect.any(String) })
    expect(lines[2]).toMatchObject({ ...line, level: 'info', status: 404, path: '/elsewhere' })
    expect(JSON.stringify(lines)).not.toMatch(/a\.jpg|away|secret/)
  })
})

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
    // max-age minus Age is the remaining time: 500 s.
    expect(kept.headers.get('age')).toBe('100')
    expect(kept.headers.get('cache-control')).toBe('public, max-age=600, must-revalidate')
    expect(kept.headers.get('cache-status')).toBe('Portico; hit; ttl=500')
    expect(kept.headers.get('etag')).toBe(made.headers.get('etag'))
    expect(kept.headers.get('etag')).toMatch(/^"[\w-]{27}"$/)
    expect(origin.count('/a.jpg')).toBe(1)
  })

  test('I5 I9 keeps the lifetime and the tags that a 304 of the source does not repeat', async () => {
    await open()
    origin.responses['/a.jpg'] = (request, response) => {
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304, { etag: '"v1"' }).end()
      else response.writeHead(200, { 'cache-control': 'max-age=600', 'cache-tag': 'shop', etag: '"v1"' }).end(jpeg)
    }
    await images.get('/a.jpg')
    images.pass(601)
    expect(cache(await images.get('/a.jpg'))).toBe('STALE')
    await expect.poll(async () => cache(await images.get('/a.jpg'))).toBe('HIT')
    images.pass(300)
    expect(cache(await images.get('/a.jpg'))).toBe('HIT')
    await images.purges.purge({ kind: 'tag', value: 'shop' })
    expect(cache(await images.get('/a.jpg'))).toBe('MISS')
  })

  test('I2 is AVIF, WebP or JPEG as the client accepts, one cache entry each', async () => {
    await open()
    const types: (string | null)[] = []
    for (const accept of ['image/avif,image/webp', 'image/webp,*/*', '*/*', 'image/avif;q=1.0,image/webp;q=0.9'])
      types.push((await images.get('/a.jpg', { accept })).headers.get('content-type'))
    expect(types).toEqual(['image/avif', 'image/webp', 'image/jpeg', 'image/avif'])
    expect(cache(await images.get('/a.jpg', { accept: 'image/avif, image/webp;q=0.2' }))).toBe('HIT')
  })

  test('I5 responds 304 to its validator, without a body', async () => {
    await open()
    const etag = (await images.get('/a.jpg')).headers.get('etag')!
    for (const given of matchingHeaders(etag)) {
      const response = await images.get('/a.jpg', { headers: { 'if-none-match': given } })
      expect(response.status).toBe(304)
      expect(await response.text()).toBe('')
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.get('cache-control')).toContain('max-age')
    }
    for (const given of otherHeaders(etag))
      expect((await images.get('/a.jpg', { headers: { 'if-none-match': given } })).status).toBe(200)
  })

  test('I5 may be cached by browsers for an hour, or for its whole lifetime when its path is hashed', async () => {
    await open()
    const body = { headers: { 'cache-control': 'max-age=31536000' }, body: jpeg }
    for (const path of ['/b.jpg', '/menu-20261121.jpg']) {
      origin.responses[path] = body
      expect((await images.get(path)).headers.get('cache-control')).toBe('public, max-age=3600, must-revalidate')
    }
    Object.assign(origin.responses, { '/hero-0a1b2c3d.jpg': body, '/_portico/static/x.jpg': body })
    for (const path of ['/hero-0a1b2c3d.jpg', '/_portico/static/x.jpg'])
      expect((await images.get(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('I5 has the same freshness in browsers a day after it was made', async () => {
    await open()
    const body = { headers: { 'cache-control': 'max-age=172800' }, body: jpeg }
    Object.assign(origin.responses, { '/b.jpg': body, '/hero-0a1b2c3d.jpg': body })
    const freshFor = async (path: string) => {
      const { headers } = await images.get(path)
      return Number(/max-age=(\d+)/.exec(headers.get('cache-control')!)![1]) - Number(headers.get('age'))
    }
    expect([await freshFor('/b.jpg'), await freshFor('/hero-0a1b2c3d.jpg')]).toEqual([3600, 172_800])
    images.pass(86_400)
    expect([await freshFor('/b.jpg'), await freshFor('/hero-0a1b2c3d.jpg')]).toEqual([3600, 86_400])
  })

  test('I5 is not stored by any cache when its source sends no-store or private', async () => {
    await open()
    for (const directive of ['no-store', 'private, max-age=600']) {
      origin.responses['/p.jpg'] = { headers: { 'cache-control': directive }, body: jpeg }
      const first = await images.get('/p.jpg')
      expect(first.headers.get('cache-control')).toBe('private, no-store')
      expect(first.headers.get('cache-status')).toBe('Portico; fwd=miss')
      expect(cache(await images.get('/p.jpg'))).toBe('MISS')
    }
    expect(origin.count('/p.jpg')).toBe(4)
  })

  test('I1 is served below basePath and at /_next/image', async () => {
    origin.responses['/shop/a.jpg'] = jpeg
    await open({}, { basePath: '/shop' })
    expect((await images.fetch('/shop/_portico/image?url=/shop/a.jpg&w=64&q=75')).status).toBe(200)
    expect((await images.fetch('/shop/_next/image?url=/shop/a.jpg&w=64&q=75')).status).toBe(200)
    for (const path of ['/_portico/image?url=/shop/a.jpg&w=64', '/shop/_portico/image/x', '/'])
      expect((await images.fetch(path)).status).toBe(404)
  })

  test('E6 responds to HEAD like GET without a body, and 405 to other methods', async () => {
    await open()
    const path = '/_portico/image?url=/a.jpg&w=64'
    const head = await images.fetch(path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0)
    expect(await head.text()).toBe('')
    const post = await images.fetch(path, { method: 'POST', body: 'x' })
    expect(post.status).toBe(405)
    expect(post.headers.get('allow')).toBe('GET, HEAD')
    expect((await images.fetch('/elsewhere', { method: 'POST', body: 'x' })).status).toBe(405)
  })

  test('I1 a refused parameter is a 400 that names the parameter, and no source is fetched', async () => {
    await open()
    const response = await images.fetch('/_portico/image?url=/a.jpg&w=65')
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/^400 w="65" must be one of 16, 32/)
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(origin.count('/a.jpg')).toBe(0)
  })
})

describe('sources that are not encoded', () => {
  test('I3 animated images pass through unchanged in a sandbox', async () => {
    await open({ contentSecurityPolicy: "default-src 'none'" })
    for (const [name, body, type] of [
      ['/a.gif', await animated('gif'), 'image/gif'],
      ['/a.webp', await animated('webp'), 'image/webp'],
      ['/a.png', await animatedPng(3), 'image/png'],
    ] as const) {
      origin.responses[name] = body
      const response = await images.get(name)
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox;")
      expect((await bytes(response)).equals(body)).toBe(true)
    }
  })

  test('I3 SVG is refused unless the site allows it, and then sandboxed', async () => {
    origin.responses['/a.svg'] = { headers: { 'content-type': 'image/png' }, body: SVG }
    await open()
    const refused = await images.get('/a.svg')
    expect(refused.status).toBe(415)
    expect(await refused.text()).not.toContain('<svg')
    await images.close()
    await open({ dangerouslyAllowSVG: true })
    const response = await images.get('/a.svg')
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.svg"')
    expect(await response.text()).toBe(SVG)
  })

  test('I3 bytes that are not an image are 415 and never passed on, for any Content-Type', async () => {
    await open()
    const cut = jpeg.subarray(0, 300)
    for (const [name, body] of [
      ['/page.jpg', '<html><script>alert(1)</script>'],
      ['/cut.jpg', cut],
      ['/empty.jpg', ''],
    ] as const) {
      origin.responses[name] = { headers: { 'content-type': 'image/jpeg' }, body }
      const response = await images.get(name)
      expect(response.status).toBe(415)
      expect(await response.text()).toMatch(/^415 The source/)
      expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    }
  })

  test('I4 a bomb is 413', async () => {
    await open()
    origin.responses['/bomb.png'] = bombPng(50_000, 50_000)
    expect((await images.get('/bomb.png')).status).toBe(413)
    origin.responses['/frames.png'] = await animatedPng(100_000)
    expect((await images.get('/frames.png')).status).toBe(413)
  })

  test('I8 responds with size and placeholder as JSON, under the same allow-list', async () => {
    await open({ localPatterns: [{ pathname: '/*.jpg' }] })
    const response = await images.fetch('/_portico/image?url=/a.jpg&placeholder=1')
    const facts = (await response.json()) as { placeholder: string }
    expect(facts).toMatchObject({ type: 'image/jpeg', width: 200, height: 100, frames: 1 })
    expect(facts.placeholder).toMatch(/^data:image\/webp;base64,/)
    expect(facts.placeholder.length).toBeLessThan(300)
    expect(cache(await images.fetch('/_portico/image?url=/a.jpg&placeholder=1'))).toBe('HIT')
    expect((await images.fetch('/_portico/image?url=/b/c.png&placeholder=1')).status).toBe(400)
  })
})

test('I6 I7 an image is kept when the client disconnects during the encoding', async () => {
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const run: typeof pool.run = async (work, limits) => {
    started.resolve()
    await gate.promise
    return pool.run(work, limits)
  }
  await open({}, { pool: { ...pool, run } })
  const leaver = new AbortController()
  const left = images.get('/a.jpg', { signal: leaver.signal })
  await started.promise
  leaver.abort()
  await expect(left).rejects.toThrow()
  // The service responds to this request after it has handled all earlier events.
  for (let count = 0; count < 3; count++) await images.fetch('/nothing')
  const joined = images.get('/a.jpg')
  await images.fetch('/nothing')
  gate.resolve()
  expect((await joined).status).toBe(200)
  expect(cache(await images.get('/a.jpg'))).toBe('HIT')
  expect(origin.count('/a.jpg')).toBe(1)
})
