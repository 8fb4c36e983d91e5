import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

let upstream: Upstream
let gateway: TestGateway
let slashed: TestGateway
let based: TestGateway

beforeAll(async () => {
  upstream = await startUpstream('upstream')
  const redirects = [
    { source: '/old/:id', destination: '/new/:id', status: 308 as const },
    { source: '/files/:rest*', destination: '/downloads/:rest*?from=old#top', status: 307 as const },
    { source: '/away', destination: 'https://example.org/x', status: 302 as const },
    { source: '/any/:rest*', destination: '/:rest*', status: 307 as const },
    {
      source: '/beta',
      destination: '/b',
      status: 307 as const,
      has: [{ type: 'cookie' as const, key: 'beta', value: '1' }],
    },
    { source: '/q', destination: '/found', status: 307 as const, has: [{ type: 'query' as const, key: 'x' }] },
    {
      source: '/h',
      destination: '/found',
      status: 307 as const,
      has: [{ type: 'header' as const, key: 'X-A', value: 'b' }],
    },
    {
      source: '/host',
      destination: '/found',
      status: 307 as const,
      has: [{ type: 'host' as const, value: 'a.example' }],
    },
  ]
  const upstreams = all(upstream)
  gateway = await startGateway({ upstreams, manifest: { redirects } })
  slashed = await startGateway({ upstreams, manifest: { trailingSlash: true }, files: { 'public/a.txt': 'a' } })
  based = await startGateway({ upstreams, manifest: { basePath: '/docs', redirects } })
})
afterAll(() => Promise.all([gateway, slashed, based, upstream].map((part) => part.stop())))

describe('canonical paths', () => {
  it.each([
    ['/about/', '/about'],
    ['/about/?a=1&b=%2F', '/about?a=1&b=%2F'],
    ['//evil.example', '/evil.example'],
    ['///evil.example/x', '/evil.example/x'],
    ['/\\evil.example', '/evil.example'],
    ['/a\\b', '/a/b'],
    ['/./a', '/a'],
    ['/a/../../b', '/b'],
    ['/a/%2e%2E/b', '/b'],
    ['//', '/'],
    ['/%2e/', '/'],
  ])('R6 GET %s is 308 to %s', async (path, location) => {
    const response = await send(gateway.port, path)
    expect([response.status, response.headers.location]).toEqual([308, location])
    // For every path the target is on this origin.
    expect(new URL(location, 'http://site.test').host).toBe('site.test')
  })

  it('R6 responds to HEAD with 308 and to other methods with 400', async () => {
    expect((await send(gateway.port, '/about/', { method: 'HEAD' })).status).toBe(308)
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([method, (await send(gateway.port, '/about/', { method })).status]).toEqual([method, 400])
    expect((await send(gateway.port, '/api/x/', { method: 'POST' })).status).toBe(400)
  })

  it('R6 in compatibility mode responds to every method with 308: the client sends the request again', async () => {
    const rewrites = [{ source: '/other/:rest*', destination: 'http://other.example/:rest*' }]
    const next = await startGateway({
      upstreams: all(upstream),
      manifest: { semantics: { nonCanonicalPosts: true }, rewrites },
    })
    for (const path of ['/about/', '/api/x/', '/other/a/', '//evil.example/']) {
      const response = await send(next.port, `${path}?a=1`, { method: 'POST', body: 'a=b' })
      const canonical = path.replace('//', '/').slice(0, -1)
      expect([path, response.status, response.headers.location]).toEqual([path, 308, `${canonical}?a=1`])
    }
    await next.stop()
  })

  it('R6 reverses the rule for the last slash with trailingSlash, only for pages', async () => {
    const { port } = slashed
    expect((await send(port, '/about?a=1')).headers.location).toBe('/about/?a=1')
    expect((await send(port, '/about/')).status).toBe(200)
    for (const path of ['/', '/a.txt', '/api/x', '/api/x/', '/_portico/image?url=a', '/_portico/data/b/index.json'])
      expect([path, (await send(port, path)).status]).toEqual([path, 200])
    expect((await send(port, '/api/x', { method: 'POST' })).status).toBe(200)
  })

  it('R6 keeps basePath unchanged', async () => {
    expect((await send(based.port, '//docs/about')).headers.location).toBe('/docs/about')
    expect((await send(based.port, '/docs/')).headers.location).toBe('/docs')
  })
})

describe('redirects of the configuration', () => {
  it.each([
    ['/old/7', 308, '/new/7'],
    ['/old/caf%C3%A9?a=1', 308, '/new/caf%C3%A9?a=1'],
    ['/files/a/b?x=1', 307, '/downloads/a/b?from=old&x=1#top'],
    ['/away?x=1', 302, 'https://example.org/x?x=1'],
    ['/any/%2F%2Fevil.example', 307, '/%2F%2Fevil.example'],
    ['/q?x=1', 307, '/found?x=1'],
  ])('R7 %s is %i to %s', async (path, status, location) => {
    const response = await send(gateway.port, path)
    expect([response.status, response.headers.location]).toEqual([status, location])
  })

  it('R7 compares cookies, headers, query and host where a rule has `has`', async () => {
    const { port } = gateway
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await send(port, path, { headers })).status
    expect(await status('/beta')).toBe(200)
    expect(await status('/beta', { cookie: 'a=2; beta=1' })).toBe(307)
    expect(await status('/beta', { cookie: 'beta=10' })).toBe(200)
    expect(await status('/q')).toBe(200)
    expect(await status('/h', { 'x-a': 'b' })).toBe(307)
    expect(await status('/h', { 'x-a': 'c' })).toBe(200)
    expect(await status('/host', { host: 'a.example:8080' })).toBe(307)
    expect(await status('/host', { host: 'b.example' })).toBe(200)
  })

  it('R7 puts basePath before a destination on this site', async () => {
    expect((await send(based.port, '/docs/old/7')).headers.location).toBe('/docs/new/7')
    expect((await send(based.port, '/old/7')).status).toBe(404)
  })

  it("R7 does not redirect the framework's own addresses, except page data", async () => {
    const rules = [{ source: '/:any*', destination: '/x', status: 307 as const }]
    const greedy = await startGateway({ upstreams: all(upstream), manifest: { redirects: rules } })
    for (const path of ['/_portico/image?url=a', '/_portico/data/build1/x', '/_portico/data/build1//x.json'])
      expect([path, (await send(greedy.port, path)).headers.location]).not.toEqual([path, '/x'])
    for (const port of [greedy.port, greedy.sitePort])
      expect((await send(port, '/_portico/static/a.js')).status).toBe(404)
    expect((await send(greedy.sitePort, '/_portico/data/build1/index.json')).status).toBe(404)
    expect((await send(greedy.port, '/about')).status).toBe(307)
    await greedy.stop()
  })
})

describe('redirects of page data', () => {
  const dataRedirect = async (port: number, path: string, headers: Record<string, string> = {}) => {
    const response = await send(port, path, { headers })
    return response.text.startsWith('{')
      ? [response.status, JSON.parse(response.text)]
      : [response.status, response.text]
  }
  const to = (location: string, status: number) => [200, { kind: 'redirect', location, status }]

  it.each([
    ['old/7', '/new/7', 308],
    ['%6fld/7', '/new/7', 308],
    ['old/caf%C3%A9', '/new/caf%C3%A9', 308],
    ['files/a/b', '/downloads/a/b?from=old#top', 307],
    ['away', 'https://example.org/x', 302],
    ['any/index', '/index', 307],
    ['any', '/', 307],
  ])('R7 W2 the data of /%s is a redirect to %s', async (name, location, status) => {
    const { port } = gateway
    expect(await dataRedirect(port, `/_portico/data/build1/${name}.json`)).toEqual(to(location, status))
    // A tab of another build loads the page in full, because the response names this build (N5); no build bypasses a rule.
    const foreign = await send(port, `/_portico/data/build0/${name}.json`)
    expect([foreign.headers['portico-build'], JSON.parse(foreign.text)]).toEqual(['build1', to(location, status)[1]])
    // The browser adds basePath itself.
    expect(await dataRedirect(based.port, `/docs/_portico/data/build1/${name}.json`)).toEqual(to(location, status))
  })

  it('R7 W2 the data of / is that of index, and of a path that begins with index that of index/…', async () => {
    const rule = (source: string) => ({ source, destination: `/to${source}`, status: 307 as const })
    const redirects = [rule('/'), rule('/index'), rule('/index/a'), rule('/indexed')]
    const indexed = await startGateway({ upstreams: all(upstream), manifest: { redirects } })
    for (const [name, location] of [
      ['index', '/to'],
      ['index/index', '/to/index'],
      ['index/index/a', '/to/index/a'],
      ['indexed', '/to/indexed'],
    ])
      expect(await dataRedirect(indexed.port, `/_portico/data/build1/${name}.json`)).toEqual(to(location!, 307))
    // No address of data: `/index/a` is written index/index/a.
    expect(await dataRedirect(indexed.port, '/_portico/data/build1/index/a.json')).toEqual([200, 'from upstream'])
    await indexed.stop()
  })

  it('R7 W2 compares cookies, headers and query of the request for data, and keeps its query', async () => {
    const { port } = gateway
    const name = (page: string) => `/_portico/data/build1/${page}.json`
    expect(await dataRedirect(port, name('beta'))).toEqual([200, 'from upstream'])
    expect(await dataRedirect(port, name('beta'), { cookie: 'beta=1' })).toEqual(to('/b', 307))
    expect(await dataRedirect(port, name('h'), { 'x-a': 'b' })).toEqual(to('/found', 307))
    expect(await dataRedirect(port, `${name('q')}?x=1&y=2`)).toEqual(to('/found?x=1&y=2', 307))
    expect(await dataRedirect(port, name('host'), { host: 'a.example' })).toEqual(to('/found', 307))
  })

  it('R7 W2 sends JSON that no cache keeps, without a body for HEAD, and 405 to other methods', async () => {
    const path = '/_portico/data/build1/old/7.json'
    const before = upstream.requests.length
    const { headers } = await send(gateway.port, path)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'portico-build': 'build1',
      'x-content-type-options': 'nosniff',
    })
    const head = await send(gateway.port, path, { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', headers['content-length']])
    expect((await send(gateway.port, path, { method: 'POST' })).status).toBe(405)
    expect(upstream.requests.length).toBe(before)
  })

  it('R7 header rules of a page apply to its data, and may let caches store the redirect of its data', async () => {
    const stored = [{ key: 'Cache-Control', value: 'public, max-age=60' }]
    const manifest = {
      redirects: [{ source: '/old/:id', destination: '/new/:id', status: 308 as const }],
      headers: [
        { source: '/old/:id', headers: stored },
        { source: '/here', headers: [{ key: 'X-A', value: 'rule' }] },
        { source: '/_portico/:rest*', headers: [{ key: 'X-B', value: 'rule' }] },
      ],
    }
    const ruled = await startGateway({ upstreams: all(upstream), manifest })
    for (const path of ['/old/7', '/_portico/data/build1/old/7.json'])
      expect((await send(ruled.port, path)).headers['cache-control']).toBe('public, max-age=60')
    for (const path of ['/here', '/_portico/data/build1/here.json'])
      expect((await send(ruled.port, path)).headers).toMatchObject({ 'x-a': 'rule' })
    expect((await send(ruled.port, '/_portico/data/build1/here.json')).headers).not.toHaveProperty('x-b')
    await ruled.stop()
  })
})

describe('redirects of one client', () => {
  it('R7 C6 are kept by no cache where a condition was compared: 308 is stored without Cache-Control', async () => {
    const rule = (source: string, extra = {}) => ({ source, destination: '/new', status: 308 as const, ...extra })
    const redirects = [rule('/member', { has: [{ type: 'cookie', key: 'member' }] }), rule('/member'), rule('/old')]
    const headers = [{ source: '/:path*', headers: [{ key: 'Location', value: '/of-a-rule' }] }]
    const site = await startGateway({ upstreams: all(upstream), manifest: { redirects, headers } })
    const cacheControl = async (path: string, of: Record<string, string> = {}) => {
      const response = await send(site.port, path, { headers: of })
      expect([response.status, response.headers.location]).toEqual([308, '/new'])
      return response.headers['cache-control']
    }
    expect(await cacheControl('/member', { cookie: 'member=1' })).toBe('private, no-store')
    expect(await cacheControl('/member')).toBe('private, no-store')
    expect(await cacheControl('/old')).toBeUndefined()
    await site.stop()
  })
})

describe('redirects that need no second one', () => {
  const rule = (source: string, destination: string) => ({ source, destination, status: 307 as const })
  const redirects = [
    rule('/old/:id/', '/new/:id'),
    rule('/home/', '/'),
    rule('/slashed/', '/x/'),
    rule('/query/', '/x?a=1#top'),
    rule('/api-there/', '/api/x'),
    rule('/file/', '/a.txt'),
    rule('/bare-file/', '/LICENSE'),
    rule('/image/', '/_portico/image?url=a'),
    rule('/away/', 'https://example.org/x'),
  ]
  const cases: [path: string, slashed: string, plain: string][] = [
    ['/old/7', '/docs/new/7/', '/docs/new/7'],
    ['/home', '/docs/', '/docs'],
    ['/slashed', '/docs/x/', '/docs/x'],
    ['/query', '/docs/x/?a=1#top', '/docs/x?a=1#top'],
    ['/api-there', '/docs/api/x', '/docs/api/x'],
    ['/file', '/docs/a.txt', '/docs/a.txt'],
    ['/bare-file', '/docs/LICENSE', '/docs/LICENSE'],
    ['/image', '/docs/_portico/image?url=a', '/docs/_portico/image?url=a'],
    ['/away', 'https://example.org/x', 'https://example.org/x'],
  ]

  it.each([true, false])(
    'R6 R7 lead to the canonical spelling of their destination, trailingSlash %s',
    async (trailingSlash) => {
      const manifest = { basePath: '/docs', trailingSlash, redirects }
      const files = { 'public/a.txt': 'a', 'public/LICENSE': 'a' }
      const site = await startGateway({ upstreams: all(upstream), manifest, files })
      for (const [path, slashed, plain] of cases) {
        const wanted = trailingSlash ? slashed : plain
        const { headers } = await send(site.port, `/docs${path}${trailingSlash ? '/' : ''}`)
        expect([path, headers.location]).toEqual([path, wanted])
        if (wanted.startsWith('/')) expect((await send(site.port, wanted.replace(/#.*/, ''))).status).toBe(200)
      }
      await site.stop()
    },
  )
})
