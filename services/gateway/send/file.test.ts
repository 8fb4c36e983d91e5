import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { matchingHeaders, otherHeaders } from '@portico/shared/kit/testing/if-none-match.ts'
import type { HeaderRule } from '@portico/shared/wire/build-output.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

const TEXT = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n')
const LARGE = 'large '.repeat(200_000)
const STATIC = '/_portico/static/app-1a2b.js'

let upstream: Upstream
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startUpstream('upstream')
  gateway = await startGateway({
    upstreams: all(upstream),
    files: {
      'client/static/app-1a2b.js': TEXT,
      'client/static/large-1a2b.js': LARGE,
      'public/a.txt': TEXT,
      'public/tiny.txt': '0123456789',
      'public/empty.txt': '',
    },
  })
})
afterAll(() => Promise.all([gateway.stop(), upstream.stop()]))

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(gateway.port, path, { headers, method })

const DECODERS = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

describe('hashed files', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate, br', 'br'],
    ['zstd', 'zstd'],
    ['gzip', 'gzip'],
    ['br;q=0.1, gzip', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
  ])('G3 responds to Accept-Encoding: %s with %s', async (accept, encoding) => {
    const { headers, body } = await get(STATIC, { 'accept-encoding': accept })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers.vary).toBe('accept-encoding')
    expect(headers['content-length']).toBe(String(body.length))
    const plain = encoding ? DECODERS[encoding as keyof typeof DECODERS](body) : body
    expect(plain.toString()).toBe(TEXT)
  })

  it('G3 may be kept for a year, with a strong tag for each form and 304 for it', async () => {
    const tags = new Set<string>()
    for (const encoding of ['identity', 'br', 'zstd', 'gzip']) {
      const { headers } = await get(STATIC, { 'accept-encoding': encoding })
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(headers.etag).toMatch(/^"[^"]+"$/)
      tags.add(headers.etag!)
      for (const match of matchingHeaders(headers.etag!)) {
        const again = await get(STATIC, { 'accept-encoding': encoding, 'if-none-match': match })
        expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
      }
    }
    expect(tags.size).toBe(4)
    for (const other of otherHeaders('"other"'))
      expect([other, (await get(STATIC, { 'if-none-match': other })).status]).toEqual([other, 200])
  })

  it('G3 sends files from disk that are too large for memory, in every form', async () => {
    const path = '/_portico/static/large-1a2b.js'
    expect((await get(path)).text === LARGE).toBe(true)
    const { body } = await get(path, { 'accept-encoding': 'gzip' })
    expect(gunzipSync(body).toString() === LARGE).toBe(true)
    const part = await get(path, { range: 'bytes=600000-600011' })
    expect([part.status, part.text]).toEqual([206, LARGE.slice(600_000, 600_012)])
  })
})

describe('ranges', () => {
  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=5-', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-30', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=3-1', 200, '0123456789', undefined],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['lines=0-1', 200, '0123456789', undefined],
    ['bytes=-', 200, '0123456789', undefined],
  ])('G3 Range: %s is %i', async (range, status, text, contentRange) => {
    const response = await get('/tiny.txt', { range })
    expect([response.status, response.text, response.headers['content-range']]).toEqual([status, text, contentRange])
    expect(response.headers['content-length']).toBe(String(text.length))
  })

  it('G3 takes parts from the identity form and honours If-Range', async () => {
    const whole = await get('/a.txt', { 'accept-encoding': 'br' })
    const part = await get('/a.txt', { range: 'bytes=0-3', 'accept-encoding': 'br' })
    expect([part.status, part.text, part.headers['content-encoding']]).toEqual([206, TEXT.slice(0, 4), undefined])
    const { etag = '' } = part.headers
    expect((await get('/a.txt', { range: 'bytes=0-3', 'if-range': etag })).status).toBe(206)
    for (const other of [whole.headers.etag!, `W/${etag}`, 'Sat, 01 Jan 2000 00:00:00 GMT'])
      expect((await get('/a.txt', { range: 'bytes=0-3', 'if-range': other })).status).toBe(200)
  })
})

describe('public files', () => {
  it('G3 are revalidated by each request, with 304 for their tag', async () => {
    const { headers } = await get('/a.txt')
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    expect((await get('/a.txt', { 'if-none-match': headers.etag! })).status).toBe(304)
  })

  it('G3 may be empty', async () => {
    const { status, text, headers } = await get('/empty.txt')
    expect([status, text, headers['content-length']]).toEqual([200, '', '0'])
  })

  it('G3 are keys of an index: an encoded slash or a name of JavaScript finds nothing', async () => {
    for (const path of ['/x%2F..%2Fa.txt', '/%2Fa.txt', '/constructor', '/__proto__', '/a.txt%5C'])
      expect([path, (await get(path)).text]).toEqual([path, 'from upstream'])
    expect((await get('/%61.txt')).text).toBe(TEXT)
  })
})

describe('hashed files with assetPrefix', () => {
  const start = (assetPrefix: string, headers: HeaderRule[] = []) =>
    startGateway({
      upstreams: all(upstream),
      files: { 'client/static/app-1a2b.js': TEXT, 'public/a.txt': TEXT },
      manifest: { basePath: '/shop', assetPrefix, headers },
    })

  it.each(['/cdn', 'https://cdn.example/cdn/'])(
    'X4 are at the path of %s, too, for pages of every origin',
    async (prefix) => {
      const prefixed = await start(prefix)
      try {
        for (const path of [`/cdn${STATIC}`, `/shop${STATIC}`]) {
          const { status, headers } = await send(prefixed.port, path, {})
          expect([status, headers['access-control-allow-origin']]).toEqual([200, '*'])
          const again = await send(prefixed.port, path, { headers: { 'if-none-match': headers.etag! } })
          expect([again.status, again.headers['access-control-allow-origin']]).toEqual([304, '*'])
        }
        const file = await send(prefixed.port, '/shop/a.txt', {})
        expect([file.status, file.headers['access-control-allow-origin']]).toEqual([200, undefined])
        expect((await send(prefixed.port, `/cdn${STATIC.replace('app', 'none')}`, {})).status).toBe(404)
        expect((await send(prefixed.port, '/cdn/_portico/manifest/b.json', {})).status).toBe(404)
      } finally {
        await prefixed.stop()
      }
    },
  )

  it('X4 keep the header of a rule', async () => {
    const key = 'Access-Control-Allow-Origin'
    const prefixed = await start('https://cdn.example', [
      { source: '/_portico/static/:path*', headers: [{ key, value: 'https://one.example' }] },
    ])
    try {
      const { headers } = await send(prefixed.port, STATIC, {})
      expect(headers['access-control-allow-origin']).toBe('https://one.example')
      expect((await get(STATIC)).headers['access-control-allow-origin']).toBeUndefined()
    } finally {
      await prefixed.stop()
    }
  })
})
