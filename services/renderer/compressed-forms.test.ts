// Compressed forms of cached pages, seen through HTTP as the gateway sees them, and their weight in the cache.

import { request as sendRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createCompressedForms } from './compressed-forms.ts'
import { type CachedPage, createMemoryPageCache } from './page-cache.ts'
import { testSite } from './testing/site.ts'
import { rendererForTests } from './testing/start-renderer.ts'

const DECODERS = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
const ENCODINGS = ['br', 'zstd', 'gzip'] as const
const LONG = 'a sentence that comes again and again. '.repeat(200)

const under = rendererForTests()

interface Bytes {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Bytes> {
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

/** Asks until the form is there: the first visitor gets the page plain. */
async function askCompressed(path: string, encoding: string, method = 'GET'): Promise<Bytes> {
  let answer = await ask(path, { 'accept-encoding': encoding }, method)
  await expect
    .poll(async () => {
      answer = await ask(path, { 'accept-encoding': encoding }, method)
      return answer.headers['content-encoding']
    })
    .toBe(encoding)
  return answer
}

describe('compressed forms', () => {
  test('G4 sends a cached page plain at first, and compressed once its form is made', async () => {
    let calls = 0
    testSite.shared.long = () => ({ props: { calls: ++calls, text: LONG } })
    const data = `/_portico/data/${under.renderer.manifest.buildId}/shared/long.json`
    for (const path of ['/shared/long', data]) {
      const plain = await ask(path)
      expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
      for (const encoding of ENCODINGS) {
        const answer = await askCompressed(path, encoding)
        expect(DECODERS[encoding](answer.body).equals(plain.body)).toBe(true)
        expect(answer.headers['content-length']).toBe(String(answer.body.length))
        expect(answer.body.length).toBeLessThan(plain.body.length / 4)
        expect(answer.headers.vary).toBe('accept-encoding')
        expect(answer.headers.etag).toBe(`W/${String(plain.headers.etag).slice(0, -1)}~${encoding}"`)
      }
    }
    expect(calls).toBe(1)
  })

  test('G4 answers HEAD of a compressed form with the head of its GET', async () => {
    testSite.shared.head = () => ({ props: { text: LONG } })
    const { headers } = await askCompressed('/shared/head', 'br')
    const head = await ask('/shared/head', { 'accept-encoding': 'br' }, 'HEAD')
    expect(head.body.length).toBe(0)
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect(head.headers[name]).toBe(headers[name])
  })

  test('D2 answers 304 to who holds any form of the page, with the tag of that form', async () => {
    testSite.shared.held = () => ({ props: { text: LONG } })
    const plain = String((await ask('/shared/held')).headers.etag)
    const compressed = String((await askCompressed('/shared/held', 'zstd')).headers.etag)
    for (const [held, told] of [
      [plain, plain],
      [`W/${plain}`, plain],
      [compressed, compressed],
      [`"other", ${compressed}`, compressed],
    ] as const) {
      const answer = await ask('/shared/held', { 'if-none-match': held, 'accept-encoding': 'gzip' })
      expect([held, answer.status, answer.headers.etag]).toEqual([held, 304, told])
      expect(answer.headers.vary).toBe('accept-encoding')
    }
    expect((await ask('/shared/held', { 'if-none-match': 'W/"other~br"' })).status).toBe(200)
  })

  test('G4 sends the plain form where another is not wanted, and where it would save nothing', async () => {
    testSite.shared.wanted = () => ({ props: { text: LONG } })
    await askCompressed('/shared/wanted', 'br')
    for (const accepted of ['identity', 'br;q=0', 'deflate', ''])
      expect((await ask('/shared/wanted', { 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
    testSite.shared.short = () => ({ props: {} })
    const data = `/_portico/data/${under.renderer.manifest.buildId}/shared/short.json`
    for (let at = 0; at < 3; at++) {
      const { headers } = await ask(data, { 'accept-encoding': 'br' })
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
    }
  })

  test('D5 counts compressed forms as bytes of the cache', async () => {
    const silent = { warn: () => {} }
    const cache = createMemoryPageCache({ limitBytes: 110_000 })
    const forms = createCompressedForms(cache, silent)
    const pageOf = (): CachedPage => ({
      kind: 'page',
      // Random digits shrink to half, which is still much.
      html: Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(Math.random() * 16).toString(16)).join('')),
      htmlEtag: '"h"',
      data: Buffer.alloc(0),
      dataEtag: '"d"',
    })
    const pages = Array.from({ length: 5 }, pageOf)
    pages.forEach((outcome, at) => {
      cache.set(String(at), '/', { outcome, storedAt: 0, freshForMs: undefined, tags: [] }, 0)
    })
    const kept = () => pages.flatMap((_, at) => (cache.get(String(at)) ? [at] : []))
    expect(kept()).toEqual([0, 1, 2, 3, 4])
    forms.of('4', pages[4]!, 'html', 'br')
    await expect.poll(kept).toEqual([1, 2, 3, 4])
    expect(forms.of('4', pages[4]!, 'html', 'br')?.length).toBeLessThan(15_000)
    // A page that was dropped while its form was made does not come back by it.
    forms.of('0', pages[0]!, 'html', 'gzip')
    await expect.poll(() => forms.of('0', pages[0]!, 'html', 'gzip')?.length).toBeGreaterThan(0)
    expect(kept()).toEqual([1, 2, 3, 4])
  })
})
