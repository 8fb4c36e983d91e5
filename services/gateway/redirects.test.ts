import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from './testing/gateway-fixture.ts'

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
    const answer = await send(gateway.port, path)
    expect([answer.status, answer.headers.location]).toEqual([308, location])
    // Whatever the path, the target stays on this origin.
    expect(new URL(location, 'http://site.test').host).toBe('site.test')
  })

  it('R6 answers HEAD with 308 and other methods with 400', async () => {
    expect((await send(gateway.port, '/about/', { method: 'HEAD' })).status).toBe(308)
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([method, (await send(gateway.port, '/about/', { method })).status]).toEqual([method, 400])
    expect((await send(gateway.port, '/api/x/', { method: 'POST' })).status).toBe(400)
  })

  it('R6 turns the rule of the last slash round with trailingSlash, for pages only', async () => {
    const { port } = slashed
    expect((await send(port, '/about?a=1')).headers.location).toBe('/about/?a=1')
    expect((await send(port, '/about/')).status).toBe(200)
    for (const path of ['/', '/a.txt', '/api/x', '/api/x/', '/_portico/image?url=a', '/_portico/data/b/index.json'])
      expect([path, (await send(port, path)).status]).toEqual([path, 200])
    expect((await send(port, '/api/x', { method: 'POST' })).status).toBe(200)
  })

  it('R6 keeps basePath whole', async () => {
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
    const answer = await send(gateway.port, path)
    expect([answer.status, answer.headers.location]).toEqual([status, location])
  })

  it('R7 looks at cookies, headers, query and host where a rule says `has`', async () => {
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

  it("R7 leaves the framework's own addresses alone", async () => {
    const rules = [{ source: '/:any*', destination: '/x', status: 307 as const }]
    const greedy = await startGateway({ upstreams: all(upstream), manifest: { redirects: rules } })
    expect((await send(greedy.port, '/_portico/data/build1/index.json')).status).toBe(200)
    expect((await send(greedy.port, '/about')).status).toBe(307)
    await greedy.stop()
  })
})
