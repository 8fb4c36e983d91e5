import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createGuardedLookup } from '@portico/shared/kit/addresses/address-guard.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { createAnyGuarded } from '@portico/shared/wire/middleware/matchers.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { imageSettings } from '../testing/image-settings.ts'
import { type Origin, startOrigin } from '../testing/origin.ts'
import { createSourcePatterns } from './allowed-sources.ts'
import { createSourceFetcher, type SourceFetcher, type SourceNetwork } from './source.ts'

let site: Origin
let other: Origin
let fetcher: SourceFetcher

/** Names under `.test` resolve to this machine, in place of a public address. */
const lookup = createGuardedLookup(true, async () => [{ address: '127.0.0.1', family: 4 }])

function open(changes: Partial<ImageSettings> = {}, deps: SourceNetwork = {}) {
  const settings = imageSettings({
    remotePatterns: [{ hostname: 'img.test', pathname: '/ok/**' }, { hostname: 'private.test' }],
    localPatterns: [{ pathname: '/public/**' }],
    ...changes,
  })
  fetcher = createSourceFetcher({
    siteUrl: site.url,
    settings,
    patterns: createSourcePatterns(settings, ''),
    lookup,
    ...deps,
  })
}
beforeEach(async () => {
  site = await startOrigin({ '/public/a.png': 'samples' })
  other = await startOrigin({ '/ok/a.png': { headers: { 'cache-tag': 'x, y', etag: '"e"' }, body: 'samples' } })
  open()
})
afterEach(async () => {
  fetcher.close()
  await Promise.all([site.close(), other.close()])
})
const remote = (path: string, host = 'img.test') =>
  ({ kind: 'remote', url: `http://${host}:${other.url.port}${path}`, pattern: host }) as const
const local = (url: string) => ({ kind: 'local', url }) as const
const get = (source: Parameters<SourceFetcher['fetch']>[0], validators = {}) =>
  fetcher.fetch(source, { signal: new AbortController().signal, requestId: 'request-1', validators })

describe('a source', () => {
  test('I4 is fetched from the second listener of the site, or from an allowed host', async () => {
    expect(await get(local('/public/a.png'))).toMatchObject({
      kind: 'fetched',
      body: Buffer.from('samples'),
      lifetimeSeconds: 60,
    })
    expect(await get(remote('/ok/a.png'))).toMatchObject({
      kind: 'fetched',
      tags: ['x', 'y'],
      validators: { etag: '"e"' },
    })
  })

  test('I4 is requested with few headers and no header of the client', async () => {
    await get(remote('/ok/a.png'), { etag: '"e"', modified: 'Sat, 21 Nov 2026 00:00:00 GMT' })
    expect(Object.keys(other.requests[0]!.headers).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', 'if-modified-since', 'if-none-match', 'user-agent'].sort(),
    )
    await get(local('/public/a.png'))
    expect(site.requests[0]!.headers).toMatchObject({ 'x-request-id': 'request-1' })
    expect(site.requests[0]!.headers.cookie).toBeUndefined()
  })

  test.each([
    [404, 404],
    [410, 410],
    [500, 502],
    [403, 502],
    [204, 502],
  ])('I11 a source that responds %d is %d', async (status, wanted) => {
    other.responses['/ok/b.png'] = { status }
    expect(await get(remote('/ok/b.png'))).toMatchObject({ kind: 'failed', status: wanted })
  })

  test('I11 an unreachable source is 502, a late source is 504', async () => {
    expect(await get({ kind: 'remote', url: 'http://img.test:1/ok/a.png', pattern: 'img.test' })).toMatchObject({
      status: 502,
    })
    open({}, { timeoutMs: 100 })
    other.responses['/ok/late.png'] = { delayMs: 2000 }
    expect(await get(remote('/ok/late.png'))).toMatchObject({ status: 504 })
    other.responses['/ok/drip.png'] = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(timer))
    }
    expect(await get(remote('/ok/drip.png'))).toMatchObject({ status: 504 })
  })

  test('I11 an idle connection that the source closes during its reuse is not a failure', async () => {
    const seen = new WeakSet<object>()
    other.responses['/ok/kept.png'] = (request, response) => {
      if (seen.has(request.socket)) return request.socket.destroy()
      seen.add(request.socket)
      response.end('samples')
    }
    for (let index = 0; index < 4; index++) expect((await get(remote('/ok/kept.png'))).kind).toBe('fetched')
    expect(other.count('/ok/kept.png')).toBe(7)
    other.responses['/ok/dead.png'] = (request) => request.socket.destroy()
    expect(await get(remote('/ok/dead.png'))).toMatchObject({ status: 502 })
  })

  test('I11 a kept connection to the site that brings nothing any more costs two seconds, whatever their number', async () => {
    const seen = new WeakSet<object>()
    site.responses['/public/kept.png'] = (request, response) => {
      // As of a machine that died: no response and no end.
      if (seen.has(request.socket)) return
      seen.add(request.socket)
      setTimeout(() => response.end('samples'), 20)
    }
    const kept = () => get(local('/public/kept.png'))
    const started = await Promise.all([kept(), kept(), kept(), kept(), kept()])
    expect(started.map(({ kind }) => kind)).toEqual(Array(5).fill('fetched'))
    expect((await kept()).kind).toBe('fetched')
    expect(site.count('/public/kept.png')).toBe(7)
  })

  test('I11 an incomplete body is 502', async () => {
    other.responses['/ok/cut.png'] = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    }
    expect(await get(remote('/ok/cut.png'))).toMatchObject({ status: 502 })
    other.responses['/ok/cut.gz'] = {
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('samples').subarray(0, 15),
    }
    expect(await get(remote('/ok/cut.gz'))).toMatchObject({ status: 502 })
  })

  test.each([
    ['the zlib format', deflateSync],
    ['the compressed data alone', deflateRawSync],
  ])('I4 is read in both forms of deflate: %s', async (_what, compress) => {
    const headers = { 'content-encoding': 'deflate' }
    const text = 'samples'.repeat(50_000)
    // Stored, fast and best: the first byte depends on the level.
    for (const level of [0, 1, 9]) {
      const body = compress(Buffer.from(text), { level })
      other.responses['/ok/whole'] = { headers, body }
      other.responses['/ok/slow'] = (_request, response) => {
        response.writeHead(200, headers)
        response.write(body.subarray(0, 1))
        setTimeout(() => response.end(body.subarray(1)), 20)
      }
      for (const path of ['/ok/whole', '/ok/slow']) {
        const fetched = await get(remote(path))
        expect(fetched.kind === 'fetched' && fetched.body.equals(Buffer.from(text))).toBe(true)
      }
    }
    open({ maximumResponseBody: 1000 })
    other.responses['/ok/bomb'] = { headers, body: compress(Buffer.alloc(500_000)) }
    other.responses['/ok/long'] = { headers, body: compress(Buffer.from(text), { level: 0 }) }
    for (const path of ['/ok/bomb', '/ok/long']) expect(await get(remote(path))).toMatchObject({ status: 413 })
    other.responses['/ok/cut'] = { headers, body: compress(Buffer.from('samples')).subarray(0, 6) }
    for (const body of ['', 'no such data']) {
      other.responses['/ok/bad'] = { headers, body }
      expect(await get(remote('/ok/bad'))).toMatchObject({ status: 502 })
    }
    expect(await get(remote('/ok/cut'))).toMatchObject({ status: 502 })
  })

  test('I4 is limited in bytes: declared, streamed and unpacked', async () => {
    open({ maximumResponseBody: 1000 })
    const large = Buffer.alloc(5000, 1)
    other.responses['/ok/declared'] = { headers: { 'content-length': '5000' }, body: large }
    other.responses['/ok/chunked'] = (_request, response) => {
      response.write(large)
      response.end()
    }
    other.responses['/ok/gzip'] = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(5_000_000)) }
    other.responses['/ok/zstd'] = {
      headers: { 'content-encoding': 'zstd' },
      body: zstdCompressSync(Buffer.alloc(5_000_000)),
    }
    // Many empty gzip members: many bytes on the wire, none after decompression.
    other.responses['/ok/empty'] = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      for (let index = 0; index < 500; index++) response.write(gzipSync(''))
      response.end()
    }
    for (const path of ['declared', 'chunked', 'gzip', 'zstd', 'empty'])
      expect(await get(remote(`/ok/${path}`)), path).toMatchObject({ status: 413 })
    other.responses['/ok/small'] = { headers: { 'content-encoding': 'gzip' }, body: gzipSync('samples') }
    expect(await get(remote('/ok/small'))).toMatchObject({ body: Buffer.from('samples') })
    for (const coding of ['rot13', 'constructor', '__proto__', 'toString']) {
      other.responses['/ok/odd'] = { headers: { 'content-encoding': coding }, body: 'cvpgher' }
      const reason = `content coding ${coding.toLowerCase()}`
      expect(await get(remote('/ok/odd'))).toMatchObject({ status: 502, reason })
    }
  })
})

describe('redirects', () => {
  const redirect = (location: string, status = 302) => ({ status, headers: { location } })

  test('I4 are followed three times', async () => {
    for (let hop = 1; hop <= 4; hop++)
      other.responses[`/ok/${hop}`] = redirect(hop === 4 ? '/ok/a.png' : `/ok/${hop + 1}`, 307)
    expect((await get(remote('/ok/2'))).kind).toBe('fetched')
    expect(await get(remote('/ok/1'))).toMatchObject({ status: 502 })
    other.responses['/ok/loop'] = redirect('/ok/loop')
    expect(await get(remote('/ok/loop'))).toMatchObject({ status: 502 })
  })

  test.each([
    ['a path that the pattern does not allow', () => '/secret/a.png'],
    ['a host that is not in the list', () => `http://evil.test:${other.url.port}/ok/a.png`],
    ['an address of this machine', () => `http://127.0.0.1:${other.url.port}/ok/a.png`],
    ['the cloud metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['another scheme', () => 'file:///etc/passwd'],
    ['credentials', () => `http://a:b@img.test:${other.url.port}/ok/a.png`],
    ['nothing', () => 'http://'],
  ])('I4 are not followed to %s', async (_, location) => {
    other.responses['/ok/r'] = redirect(location())
    const before = other.requests.length
    expect(await get(remote('/ok/r'))).toMatchObject({ kind: 'failed', status: 400 })
    expect(other.requests.length - before).toBe(1)
  })

  test('I4 are not followed to a private address, even if the allow-list contains the address', async () => {
    open({ remotePatterns: [{ hostname: 'img.test' }, { hostname: '127.0.0.1' }] })
    other.responses['/ok/r'] = redirect(`http://127.0.0.1:${other.url.port}/ok/a.png`)
    expect(await get(remote('/ok/r'))).toMatchObject({ kind: 'failed', status: 400 })
    expect(other.requests.length).toBe(1)
    open({ remotePatterns: [{ hostname: 'img.test' }, { hostname: '127.0.0.1' }], dangerouslyAllowLocalIP: true })
    expect((await get(remote('/ok/r'))).kind).toBe('fetched')
  })

  test('I4 of the site to an allowed host send no data of the request to that host', async () => {
    site.responses['/public/moved.png'] = redirect(remote('/ok/a.png').url)
    expect(await get(local('/public/moved.png'))).toMatchObject({ kind: 'fetched' })
    expect(site.requests[0]!.headers).toMatchObject({ 'x-request-id': 'request-1' })
    expect(other.requests[0]!.headers).not.toHaveProperty('x-request-id')
  })

  test('I4 X15 of the site are not followed to a path that middleware guards', async () => {
    const matchers = [{ source: '/public/guarded/:path*', missing: [{ type: 'cookie' as const, key: 'editor' }] }]
    open({}, { isGuarded: createAnyGuarded({ basePath: '', middleware: { matchers } }) })
    site.responses['/public/old.png'] = redirect('/public/a.png')
    site.responses['/public/around.png'] = redirect('/public/%67uarded/a.png')
    site.responses['/public/guarded/a.png'] = { body: 'samples' }
    expect((await get(local('/public/old.png'))).kind).toBe('fetched')
    expect((await get(local('/public/guarded/a.png'))).kind).toBe('fetched')
    expect(await get(local('/public/around.png'))).toMatchObject({ kind: 'failed', status: 400 })
  })

  test('I4 of the site are limited to its own lists', async () => {
    site.responses['/public/old.png'] = redirect('/public/a.png', 308)
    expect((await get(local('/public/old.png'))).kind).toBe('fetched')
    for (const location of [
      '/private/a.png',
      '/_portico/image?url=/public/a.png&w=64',
      '/api/x',
      `http://127.0.0.1:${other.url.port}/ok/a.png`,
    ]) {
      site.responses['/public/bad.png'] = redirect(location)
      expect(await get(local('/public/bad.png')), location).toMatchObject({ status: 400 })
    }
  })
})

describe('names', () => {
  test('I4 that resolve to a private address are refused with 400 and nothing is sent', async () => {
    open({}, { lookup: createGuardedLookup(false, async () => [{ address: '127.0.0.1', family: 4 }]) })
    const result = await get(remote('/a.png', 'private.test'))
    expect(result).toMatchObject({ kind: 'failed', status: 400 })
    expect(result.kind === 'failed' && result.reason).toContain('images.dangerouslyAllowLocalIP')
    expect(result.kind === 'failed' && result.text).not.toContain('127')
    expect(other.requests).toEqual([])
  })
})
