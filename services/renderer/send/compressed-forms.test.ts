// Compressed forms of cached pages, through HTTP like the gateway's requests, and their weight in the cache.

import { request as sendRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { describe, expect, test } from 'vitest'
import { type CachedPage, createMemoryPageCache } from '../cache/page-cache.ts'
import { testSite } from '../testing/site.ts'
import { rendererForTests } from '../testing/start-renderer.ts'
import { createCompressedForms } from './compressed-forms.ts'

const DECODERS = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
const ENCODINGS = ['br', 'zstd', 'gzip'] as const
const LONG = 'a sentence that comes again and again. '.repeat(200)

const under = rendererForTests()

interface Bytes {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

function requestBytes(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      { host: '127.0.0.1', port: under.renderer.port, path, method, headers },
      async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      },
    )
    request.on('error', reject)
    request.end()
  })
}

/** Repeats the request until the form exists: the first response is plain. */
async function requestCompressed(path: string, encoding: string, method = 'GET'): Promise<Bytes> {
  let response = await requestBytes(path, { 'accept-encoding': encoding }, method)
  await expect
    .poll(async () => {
      response = await requestBytes(path, { 'accept-encoding': encoding }, method)
      return response.headers['content-encoding']
    })
    .toBe(encoding)
  return response
}

describe('compressed forms', () => {
  test('G4 sends a cached page plain at first, and compressed once its form is made', async () => {
    let calls = 0
    testSite.shared.long = () => ({ props: { calls: ++calls, text: LONG } })
    const data = `/_portico/data/${under.renderer.manifest.buildId}/shared/long.json`
    for (const path of ['/shared/long', data]) {
      const plain = await requestBytes(path)
      expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
      for (const encoding of ENCODINGS) {
        const response = await requestCompressed(path, encoding)
        expect(DECODERS[encoding](response.body).equals(plain.body)).toBe(true)
        expect(response.headers['content-length']).toBe(String(response.body.length))
        expect(response.body.length).toBeLessThan(plain.body.length / 4)
        expect(response.headers.vary).toBe('accept-encoding')
        expect(response.headers.etag).toBe(`W/${String(plain.headers.etag).slice(0, -1)}~${encoding}"`)
      }
    }
    expect(calls).toBe(1)
  })

  test('G4 responds to HEAD of a compressed form with the head of its GET', async () => {
    testSite.shared.head = () => ({ props: { text: LONG } })
    const { headers } = await requestCompressed('/shared/head', 'br')
    const head = await requestBytes('/shared/head', { 'accept-encoding': 'br' }, 'HEAD')
    expect(head.body.length).toBe(0)
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect(head.headers[name]).toBe(headers[name])
  })

  test('D2 responds 304 to a client with any form of the page, with the tag of that form', async () => {
    testSite.shared.held = () => ({ props: { text: LONG } })
    const plain = String((await requestBytes('/shared/held')).headers.etag)
    const compressed = String((await requestCompressed('/shared/held', 'zstd')).headers.etag)
    for (const [held, expected] of [
      [plain, plain],
      [`W/${plain}`, plain],
      [compressed, compressed],
      [`"other", ${compressed}`, compressed],
    ] as const) {
      const response = await requestBytes('/shared/held', { 'if-none-match': held, 'accept-encoding': 'gzip' })
      expect([held, response.status, response.headers.etag]).toEqual([held, 304, expected])
      expect(response.headers.vary).toBe('accept-encoding')
    }
    expect((await requestBytes('/shared/held', { 'if-none-match': 'W/"other~br"' })).status).toBe(200)
  })

  test('G4 sends the plain form to clients that accept no other, and for pages that would not shrink', async () => {
    testSite.shared.wanted = () => ({ props: { text: LONG } })
    await requestCompressed('/shared/wanted', 'br')
    for (const accepted of ['identity', 'br;q=0', 'deflate', ''])
      expect(
        (await requestBytes('/shared/wanted', { 'accept-encoding': accepted })).headers['content-encoding'],
      ).toBeUndefined()
    testSite.shared.short = () => ({ props: {} })
    const data = `/_portico/data/${under.renderer.manifest.buildId}/shared/short.json`
    for (let at = 0; at < 3; at++) {
      const { headers } = await requestBytes(data, { 'accept-encoding': 'br' })
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
    }
  })

  test('D5 counts compressed forms as bytes of the cache', async () => {
    const silent = { warn: () => {} }
    const feed = createFeed({ log: createLog('test', 'silent') })
    const cache = createMemoryPageCache({ limitBytes: 110_000, feed })
    const forms = createCompressedForms(cache, silent)
    const pageOf = (): CachedPage => ({
      kind: 'page',
      // Random digits shrink to half, which is still large.
      html: Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(Math.random() * 16).toString(16)).join('')),
      htmlEtag: '"h"',
      data: Buffer.alloc(0),
      dataEtag: '"d"',
    })
    const pages = Array.from({ length: 5 }, pageOf)
    pages.forEach((outcome, at) => {
      cache.set(String(at), '/', { outcome, storedAt: 0, freshForMs: undefined, tags: [] }, feed.asOf())
    })
    const kept = () => pages.flatMap((_, at) => (cache.get(String(at)) ? [at] : []))
    expect(kept()).toEqual([0, 1, 2, 3, 4])
    forms.of('4', pages[4]!, 'html', 'br')
    await expect.poll(kept).toEqual([1, 2, 3, 4])
    expect(forms.of('4', pages[4]!, 'html', 'br')?.length).toBeLessThan(15_000)
    // A form of a page that the cache has dropped does not restore the page.
    forms.of('0', pages[0]!, 'html', 'gzip')
    await expect.poll(() => forms.of('0', pages[0]!, 'html', 'gzip')?.length).toBeGreaterThan(0)
    expect(kept()).toEqual([1, 2, 3, 4])
  })
})
