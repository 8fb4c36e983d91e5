// Redirects with the patterns and conditions of Next.js, at the gateway (X5).

import { afterAll, beforeAll, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

let upstream: Upstream
let gateway: TestGateway
let based: TestGateway

beforeAll(async () => {
  upstream = await startUpstream('upstream')
  const redirects = [
    { source: '/old/:id', destination: '/new/:id', status: 308 as const },
    { source: '/post-:id(\\d+).html', destination: '/posts/:id', status: 308 as const },
    {
      source: '/login',
      destination: '/home',
      status: 307 as const,
      missing: [{ type: 'cookie' as const, key: 'session' }],
    },
    {
      source: '/sub/:path*',
      destination: 'https://:tenant.other.example/:path*#:tenant',
      status: 307 as const,
      has: [{ type: 'header' as const, key: 'x-tenant', value: '(?<tenant>.+)' }],
    },
    {
      source: '/sub/:path*',
      destination: '/tenants',
      status: 307 as const,
      has: [{ type: 'header' as const, key: 'x-fallback' }],
    },
    { source: '/outside/:x', destination: '/elsewhere/:x', status: 307 as const, basePath: false as const },
    { source: '/docs/inside', destination: '/docs/found', status: 307 as const, basePath: false as const },
    { source: '/docs/leaves', destination: '/elsewhere', status: 307 as const, basePath: false as const },
  ]
  gateway = await startGateway({ upstreams: all(upstream), manifest: { redirects } })
  const headers = [
    { source: '/docs/:page', headers: [{ key: 'X-Page', value: 'whole :page' }], basePath: false as const },
    // The build refuses the second name.
    {
      source: '/:page',
      headers: [
        { key: 'X-Below', value: ':page' },
        { key: 'X-Request-Id', value: 'of a rule' },
      ],
    },
    { source: '/else', headers: [{ key: 'X-Else', value: 'a:b' }], basePath: false as const },
  ]
  based = await startGateway({ upstreams: all(upstream), manifest: { basePath: '/docs', redirects, headers } })
})
afterAll(() => Promise.all([gateway, based, upstream].map((part) => part.stop())))

it.each([
  ['/POST-7.html', 308, '/posts/7'],
  ['/login?next=%2F', 307, '/home?next=%2F'],
  // Without a basePath `basePath: false` says nothing.
  ['/outside/1', 307, '/elsewhere/1'],
])('X5 %s is %i to %s', async (path, status, location) => {
  const response = await send(gateway.port, path)
  expect([response.status, response.headers.location]).toEqual([status, location])
})

it('X5 compares `missing`, and fills every part of the destination with named groups', async () => {
  const locationOf = async (path: string, headers: Record<string, string>) =>
    (await send(gateway.port, path, { headers })).headers.location
  expect(await locationOf('/login', { cookie: 'session=1' })).toBeUndefined()
  expect(await locationOf('/sub/a/b?q=1', { 'x-tenant': 'acme' })).toBe('https://acme.other.example/a/b?q=1#acme')
  for (const tenant of ['evil.org/', 'evil.org#', 'a@evil.org', 'a:80', 'a b'])
    expect([tenant, await locationOf('/sub/a', { 'x-tenant': tenant })]).toEqual([tenant, undefined])
  // A rule whose parameter fits no host does not apply; the next ones do.
  expect(await locationOf('/sub/a', { 'x-tenant': 'a b', 'x-fallback': '1' })).toBe('/tenants')
})

it('X5 compares the whole path where a rule has `basePath: false`', async () => {
  const { port } = based
  expect((await send(port, '/outside/1?a=1')).headers.location).toBe('/elsewhere/1?a=1')
  expect((await send(port, '/docs/outside/1')).headers.location).toBeUndefined()
  expect((await send(port, '/docs/inside')).headers.location).toBe('/docs/found')
  expect((await send(port, '/docs/old/7')).headers.location).toBe('/docs/new/7')
  // The browser adds basePath to a path of page data, so another one is absolute.
  const data = async (path: string) =>
    JSON.parse(
      (
        await send(port, `/docs/_portico/data/${based.build.manifest.buildId}${path}.json`, {
          headers: { host: 'a.example' },
        })
      ).text,
    )
  expect(await data('/inside')).toEqual({ kind: 'redirect', location: '/found', status: 307 })
  expect(await data('/leaves')).toEqual({ kind: 'redirect', location: 'http://a.example/elsewhere', status: 307 })
})

it('X5 compares the whole path of a page and of its data where a header rule has `basePath: false`', async () => {
  const headersOf = async (path: string) => (await send(based.port, path)).headers
  for (const path of ['/docs/a', `/docs/_portico/data/${based.build.manifest.buildId}/a.json`])
    expect([path, await headersOf(path)]).toMatchObject([path, { 'x-page': 'whole a', 'x-below': 'a' }])
  expect(await headersOf('/else')).toMatchObject({ 'x-else': 'a:b' })
  expect(await headersOf('/docs/else')).not.toHaveProperty('x-else')
})

it('R7 G1 no rule of a manifest sets a header of the framework', async () => {
  const { headers } = await send(based.port, '/docs/a')
  expect(headers['x-request-id']).toMatch(/^[0-9a-f]+$/)
})

it.each([undefined, true as const])(
  'X5 redirects, header rules and rewrites with caseSensitiveRoutes: %s',
  async (isExact) => {
    const files = { module: '', imports: [], styles: [] }
    const manifest = {
      pages: [{ pattern: '/place', file: '', data: 'server' as const, files }],
      redirects: [{ source: '/old', destination: '/new', status: 308 as const }],
      headers: [{ source: '/place', headers: [{ key: 'X-Rule', value: 'here' }] }],
      rewrites: [{ source: '/spot', destination: '/place' }],
      ...(isExact && { caseSensitiveRoutes: isExact }),
    }
    const site = await startGateway({ upstreams: all(upstream), manifest })
    const found = async (paths: readonly string[]) => {
      const [redirected, ruled, rewritten] = paths
      const { location } = (await send(site.port, redirected!)).headers
      const { 'x-rule': rule } = (await send(site.port, ruled!)).headers
      await send(site.port, rewritten!)
      const route = site.lines.findLast(({ path }) => path === rewritten)?.route
      return [location, rule, route]
    }
    expect(await found(['/old', '/place', '/spot'])).toEqual(['/new', 'here', '/place'])
    expect(await found(['/OLD', '/PLACE', '/SPOT'])).toEqual(
      isExact ? [undefined, undefined, 'page'] : ['/new', 'here', '/place'],
    )
    await site.stop()
  },
)
