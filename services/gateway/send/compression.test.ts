import { request as sendRequest } from 'node:http'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

const PAGE = `<p>${'a page of some length '.repeat(400)}</p>`
const LARGE = 'large and dull '.repeat(60_000)

let upstream: Upstream
let gateway: TestGateway
/** Headers of the next responses. */
let type = 'text/html; charset=utf-8'
let extra: Record<string, string> = {}

beforeAll(async () => {
  upstream = await startUpstream('upstream', {
    respond(request, response) {
      const body = request.url === '/large' ? LARGE : request.url === '/tiny' ? 'tiny' : PAGE
      if (request.headers['if-none-match']?.includes('"abc"'))
        return void response.writeHead(304, { etag: '"abc"' }).end()
      response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...extra })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
  })
  gateway = await startGateway({ upstreams: all(upstream) })
})
afterAll(() => Promise.all([gateway.stop(), upstream.stop()]))

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(gateway.port, path, { headers, method })
const respondWith = (contentType: string, headers: Record<string, string> = {}) => {
  type = contentType
  extra = headers
}

const WHOLE = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
const STREAMS = { br: createBrotliDecompress, zstd: createZstdDecompress, gzip: createGunzip }
const ENCODINGS = ['br', 'zstd', 'gzip'] as const

describe('whole responses', () => {
  it.each(ENCODINGS)('G4 compresses text once with %s', async (encoding) => {
    respondWith('text/html; charset=utf-8', { vary: 'cookie' })
    for (const [path, text] of [
      ['/page', PAGE],
      ['/large', LARGE],
    ] as const) {
      const { headers, body } = await get(path, { 'accept-encoding': encoding })
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'cookie, accept-encoding'])
      expect(WHOLE[encoding](body).toString() === text).toBe(true)
      expect(body.length).toBeLessThan(text.length / 10)
    }
  })

  it.each([
    ['image/png', {}],
    ['text/event-stream', {}],
    ['text/html', { 'content-encoding': 'gzip' }],
    ['text/html', { 'cache-control': 'no-transform' }],
    ['application/octet-stream', {}],
  ])('G4 does not compress %s %o', async (contentType, headers) => {
    respondWith(contentType, headers as Record<string, string>)
    const response = await get('/page', { 'accept-encoding': 'br' })
    expect(response.text === PAGE).toBe(true)
    expect(response.headers.vary).toBeUndefined()
  })

  it('G4 does not compress small responses, and varies them by Accept-Encoding only where a larger one is compressed', async () => {
    respondWith('text/html')
    const tiny = await get('/tiny', { 'accept-encoding': 'br' })
    expect([tiny.text, tiny.headers['content-encoding']]).toEqual(['tiny', undefined])
    const plain = await get('/page')
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
  })

  it('G4 responds with 304 for the tag of a compressed form, and the upstream receives its own tag', async () => {
    respondWith('text/html', { etag: '"abc"' })
    const plain = await get('/page')
    const br = await get('/page', { 'accept-encoding': 'br' })
    expect([plain.headers.etag, br.headers.etag]).toEqual(['"abc"', 'W/"abc~br"'])
    const again = await get('/page', { 'accept-encoding': 'br', 'if-none-match': `"x", ${br.headers.etag}` })
    expect([again.status, again.headers.etag, again.headers.vary]).toEqual([304, 'W/"abc~br"', 'accept-encoding'])
    expect(upstream.requests.at(-1)?.headers['if-none-match']).toBe('"x", "abc"')
    const identity = await get('/page', { 'if-none-match': '"abc"' })
    expect([identity.status, identity.headers.etag]).toEqual([304, '"abc"'])
    respondWith('text/html', { etag: 'W/"weak"' })
    expect((await get('/page', { 'accept-encoding': 'br', 'if-none-match': 'W/"other"' })).headers.etag).toBe(
      'W/"weak"',
    )
    expect(upstream.requests.at(-1)?.headers['if-none-match']).toBe('W/"other"')
  })

  it('G4 responds to HEAD with the headers of the GET', async () => {
    respondWith('text/html', { etag: '"abc"' })
    const compressed = await get('/page', { 'accept-encoding': 'br' }, 'HEAD')
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'br', etag: 'W/"abc~br"', vary: 'accept-encoding' })
    expect(compressed.headers['content-length']).toBeUndefined()
    expect((await get('/page', {}, 'HEAD')).headers['content-length']).toBe(String(PAGE.length))
  })

  it('G4 does not compress a part', async () => {
    respondWith('text/html', { 'content-range': 'bytes 0-9/100' })
    expect((await get('/page', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined()
  })
})

describe('streams', () => {
  /** The upstream sends each of `pieces` only after the client has received the piece before. */
  async function seePieces(acceptEncoding: string, contentType: string): Promise<string[]> {
    const pieces = ['<p>first</p>', '<p>second</p>', '<p>third</p>']
    let sendNext = () => {}
    const slow = await startUpstream('slow', {
      respond(_request, response) {
        response.setHeader('content-type', contentType)
        const left = [...pieces]
        sendNext = () => {
          const piece = left.shift()
          if (piece === undefined) response.end()
          else response.write(piece)
        }
        sendNext()
      },
    })
    const own = await startGateway({ upstreams: all(slow) })
    const seen: string[] = []
    await new Promise<void>((resolve, reject) => {
      const headers = { 'accept-encoding': acceptEncoding }
      const request = sendRequest({ host: '127.0.0.1', port: own.port, path: '/x', headers, agent: false })
      request.on('response', (response) => {
        const encoding = response.headers['content-encoding'] as (typeof ENCODINGS)[number] | undefined
        const source = encoding ? response.pipe(STREAMS[encoding]()) : response
        source.on('data', (chunk: Buffer) => {
          seen.push(chunk.toString())
          sendNext()
        })
        source.on('end', resolve)
        source.on('error', reject)
      })
      request.on('error', reject)
      request.end()
    })
    await Promise.all([own.stop(), slow.stop()])
    expect(seen.join('')).toBe(pieces.join(''))
    return seen
  }

  it.each([...ENCODINGS, 'identity'])('G4 sends each piece of a stream immediately with %s', async (encoding) => {
    for (const contentType of ['text/html; charset=utf-8', 'application/jsonl; charset=utf-8'])
      expect(await seePieces(encoding, contentType), contentType).toHaveLength(3)
  })

  it('G4 passes event streams through unchanged', async () => {
    expect(await seePieces('br, gzip', 'text/event-stream')).toHaveLength(3)
  })
})
