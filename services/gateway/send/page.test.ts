// Responses of the page cache: a gateway, and a renderer that speaks the wire format.

import { request as sendRequest } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import { describe, expect, it, test } from 'vitest'
import { cachedGateway, MANIFEST, rendererOf } from '../pages/testing/cached-gateway.ts'
import { outcomeEntry, pageEntry } from '../pages/testing/entries.ts'
import { send } from '../testing/gateway-fixture.ts'

const DATA = '/_portico/data/build1/about.json'

describe('entries', () => {
  it('C3 200 clients of one cold page cause one fill without anything of a client, and receive the same bytes', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer)
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        send(gateway.port, `/posts/a%20b?q=${index}`, {
          headers: { cookie: `a=${index}`, 'x-own': `${index}`, range: 'bytes=0-1', 'if-none-match': '"x"' },
        }),
      ),
    )
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(renderer.asked.map(({ pattern, params }) => ({ pattern, params }))).toEqual([
      { pattern: '/posts/[id]', params: { id: 'a b' } },
    ])
    const [request] = renderer.upstream.requests
    expect(Object.keys(request!.headers).sort()).toEqual(['authorization', 'connection', 'host'])
    expect(JSON.stringify(request)).not.toContain('q=')
  })

  it('C6 a hit has the headers of the page, an age, and those of the gateway', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { ageMs: 4200, verdict: 'HIT' })
    const rules = { headers: [{ source: '/about', headers: [{ key: 'x-rule', value: 'yes' }] }] }
    const gateway = await cachedGateway(renderer, { manifest: { ...MANIFEST, ...rules } })
    const first = await send(gateway.port, '/about')
    const { headers, text, status } = await send(gateway.port, '/about?other=1')
    expect([first.headers['x-portico-cache'], headers['x-portico-cache'], status]).toEqual(['MISS', 'HIT', 200])
    expect(text).toBe(first.text)
    expect(first.headers['server-timing']).toMatch(/^cache;desc=MISS, upstream;dur=[\d.]+$/)
    expect(headers).toMatchObject({
      age: '4',
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-security-policy': "default-src 'self'",
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(text.length),
      etag: entityTag(Buffer.from(text)),
      link: '</a.js>; rel=modulepreload',
      'portico-build': 'build1',
      'server-timing': 'cache;desc=HIT',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{16}$/),
      'x-rule': 'yes',
    })
    expect(headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    const data = await send(gateway.port, DATA)
    expect(data.headers).toMatchObject({ 'x-portico-cache': 'HIT', 'content-type': 'application/json; charset=utf-8' })
    expect(JSON.parse(data.text).props).toEqual({ text: 'page' })
    expect(renderer.asked.length).toBe(1)
    const lines = gateway.lines.filter(({ event, path }) => event === 'request' && path === '/about')
    expect(lines.map(({ by, cache, rendererCache, route }) => ({ by, cache, rendererCache, route }))).toEqual([
      // The gateway had no entry, and the renderer had one.
      { by: 'renderer', cache: 'MISS', rendererCache: 'HIT', route: '/about' },
      { by: 'cache', cache: 'HIT', rendererCache: undefined, route: '/about' },
    ])
    expect(await gateway.registry.getSingleMetricAsString('portico_page_cache_total')).toContain(
      'portico_page_cache_total{verdict="HIT",part="html"} 1',
    )
  })

  it('R7 a rule adds to the Vary of an entry, as it does to that of a response that passes', async () => {
    const headers = [{ source: '/:path*', headers: [{ key: 'Vary', value: 'Cookie' }] }]
    const gateway = await cachedGateway(await rendererOf(), { manifest: { ...MANIFEST, headers } })
    const { etag } = (await send(gateway.port, '/about')).headers
    for (const own of [{}, { 'accept-encoding': 'br' }, { 'if-none-match': etag! }])
      expect((await send(gateway.port, '/about', { headers: own })).headers.vary).toBe('accept-encoding, Cookie')
  })

  it('C1 a hit serves HEAD, conditional requests and compressed forms, and ignores Range', async () => {
    const gateway = await cachedGateway(await rendererOf())
    const { text, headers } = await send(gateway.port, '/about')
    const head = await send(gateway.port, '/about', { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(text.length), ''])
    const known = await send(gateway.port, '/about', { headers: { 'if-none-match': headers.etag! } })
    expect([known.status, known.headers.etag, known.text]).toEqual([304, headers.etag, ''])
    expect(known.headers).not.toHaveProperty('content-type')
    const part = await send(gateway.port, '/about', { headers: { range: 'bytes=0-3' } })
    expect([part.status, part.text]).toEqual([200, text])
    const forms = await Promise.all(
      [1, 2, 3].map(() => send(gateway.port, '/about', { headers: { 'accept-encoding': 'br, gzip' } })),
    )
    for (const form of forms) {
      expect(form.headers).toMatchObject({ 'content-encoding': 'br', etag: `W/${headers.etag!.slice(0, -1)}~br"` })
      expect(brotliDecompressSync(form.body).toString()).toBe(text)
    }
    const again = await send(gateway.port, '/about', {
      headers: { 'if-none-match': forms[0]!.headers.etag!, 'accept-encoding': 'br' },
    })
    expect([again.status, again.headers.etag]).toEqual([304, forms[0]!.headers.etag])
  })

  it('C7 each form has the same tag after a restart of the gateway, which responds to it with 304', async () => {
    const renderer = await rendererOf()
    const tagsOf = ({ port }: { port: number }) =>
      Promise.all(
        ['identity', 'br', 'zstd', 'gzip'].map(
          async (encoding) => (await send(port, '/about', { headers: { 'accept-encoding': encoding } })).headers.etag!,
        ),
      )
    const tags = await tagsOf(await cachedGateway(renderer))
    expect(new Set(tags).size).toBe(4)
    const restarted = await cachedGateway(renderer)
    for (const tag of tags) {
      const known = await send(restarted.port, '/about', {
        headers: { 'if-none-match': tag, 'accept-encoding': 'br' },
      })
      expect([known.status, known.headers.etag, known.headers.vary]).toEqual([304, tag, 'accept-encoding'])
    }
    expect(await tagsOf(restarted)).toEqual(tags)
  })

  it('C1 pages of each client and forms pass through the proxy', async () => {
    const renderer = await rendererOf()
    const pages = (MANIFEST.pages ?? []).map((page) =>
      page.data === 'static' ? { ...page, methods: 'form' as const } : page,
    )
    const gateway = await cachedGateway(renderer, { manifest: { ...MANIFEST, pages } })
    for (const path of ['/me', '/_portico/data/build1/me.json', '/_portico/data/other/about.json'])
      expect((await send(gateway.port, path)).text).toBe('passed')
    const post = (path: string) =>
      send(gateway.port, path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=1',
      })
    expect((await post('/about')).headers).not.toHaveProperty('x-portico-cache')
    expect((await post('/posts/1')).text).toBe('passed')
    expect(renderer.asked).toEqual([])
  })
})

describe('outcomes', () => {
  it('C1 keeps that a path has no page, and sends the not-found screen', async () => {
    const renderer = await rendererOf()
    renderer.entry = ({ pattern }) =>
      pattern === '/404' ? pageEntry('screen', {}, 404) : outcomeEntry({ kind: 'not-found' })
    const gateway = await cachedGateway(renderer)
    for (const path of ['/posts/none', '/posts/none', '/no/page', '/no/other']) {
      const { status, text, headers } = await send(gateway.port, path)
      expect([path, status, text.includes('screen'), headers['cache-control'], headers.etag]).toEqual([
        path,
        404,
        true,
        'private, no-store',
        undefined,
      ])
    }
    const data = await send(gateway.port, '/_portico/data/build1/posts/none.json')
    expect([data.status, data.text]).toEqual([404, '{"kind":"not-found"}'])
    expect(renderer.asked.map(({ pattern }) => pattern)).toEqual(['/posts/[id]', '/404'])
    // A renderer that has started again may know the path.
    renderer.entry = () => pageEntry('found')
    gateway.state.offsetMs += 10_001
    expect((await send(gateway.port, '/posts/none')).status).toBe(404)
    await expect.poll(async () => (await send(gateway.port, '/posts/none')).status).toBe(200)
  })

  it('C1 keeps a redirect, for documents and page data', async () => {
    const renderer = await rendererOf()
    const data = Buffer.from('{"kind":"redirect","location":"/there","status":308}')
    renderer.entry = () => outcomeEntry({ kind: 'redirect', status: 308, location: '/base/there' }, {}, { data })
    const gateway = await cachedGateway(renderer)
    const { status, headers, text } = await send(gateway.port, '/about')
    expect([status, headers.location, headers['cache-control'], text]).toEqual([
      308,
      '/base/there',
      'private, no-store',
      '',
    ])
    const sent = await send(gateway.port, DATA)
    expect([sent.status, sent.text, sent.headers['cache-control']]).toEqual([200, data.toString(), 'private, no-store'])
    expect(renderer.asked.length).toBe(1)
  })

  it('C3 an error reaches all clients that wait, and is requested again after a second', async () => {
    const renderer = await rendererOf()
    const html = Buffer.from('<h1>own screen</h1>')
    const policy = { name: 'content-security-policy', value: "default-src 'none'" } as const
    renderer.entry = () =>
      outcomeEntry({ kind: 'error', code: 'internal', digest: 'abc', policy, link: '</a.js>' }, {}, { html })
    const gateway = await cachedGateway(renderer)
    const failed = await Promise.all([1, 2, 3].map(() => send(gateway.port, '/about')))
    failed.push(await send(gateway.port, '/about'))
    for (const { status, text, headers } of failed) {
      expect([status, text, headers['cache-control']]).toEqual([500, html.toString(), 'private, no-store'])
      expect(headers['content-security-policy']).toBe("default-src 'none'")
    }
    const data = await send(gateway.port, DATA)
    expect(JSON.parse(data.text)).toMatchObject({ error: { status: 500, code: 'internal', digest: 'abc' } })
    // What belongs to a document.
    expect(data.headers).not.toHaveProperty('content-security-policy')
    expect(data.headers).not.toHaveProperty('link')
    expect(renderer.asked.length).toBe(1)
    renderer.entry = () => pageEntry('again')
    gateway.state.offsetMs += 1001
    expect((await send(gateway.port, '/about')).status).toBe(200)
  })

  test.each([
    ['a shell', () => outcomeEntry({ kind: 'shell' })],
    ['an entry above the limit', () => outcomeEntry({ kind: 'too-large' })],
    ['an entry of another build', () => pageEntry('other', { version: 'build2.x' })],
    ['bytes that are no entry', () => Buffer.from('{}\n')],
  ])('C3 %s passes through the proxy, and is not kept', async (_title, entry) => {
    const renderer = await rendererOf()
    renderer.entry = entry
    const gateway = await cachedGateway(renderer)
    const { text, headers } = await send(gateway.port, '/about')
    expect([text, headers['x-portico-cache']]).toEqual(['passed', undefined])
    gateway.state.offsetMs += 60_001
    renderer.entry = () => pageEntry('page')
    expect((await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('MISS')
  })

  it('C3 a fill outlives the client that caused it', async () => {
    const renderer = await rendererOf()
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<Buffer>()
    renderer.entry = () => {
      arrived.resolve()
      return released.promise
    }
    const gateway = await cachedGateway(renderer)
    const client = sendRequest({ port: gateway.port, path: '/about' })
    client.on('error', () => {})
    client.end()
    await arrived.promise
    client.destroy()
    await new Promise((done) => client.on('close', done))
    released.resolve(pageEntry('page'))
    await expect.poll(async () => (await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('HIT')
    expect(renderer.asked.length).toBe(1)
  })

  it('C3 a renderer that does not respond in time is reported as late', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => new Promise(() => {})
    const gateway = await cachedGateway(renderer, { timeoutMs: 50 })
    expect((await send(gateway.port, '/about')).status).toBe(504)
  })
})
