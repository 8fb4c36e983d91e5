// The gateway's resolution of pages and page data, as the renderer receives it (C2, W9).

import { PASSED_ROUTE_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import { parsePassedRoute } from '@portico/shared/wire/passed-route.ts'
import { createFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { createPageResolver } from '@portico/shared/wire/routing/resolve-page.ts'
import { parseCookie } from 'cookie'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'
import { gatewayOf, twoReplicas, upstreamOf } from '../testing/proxy-fixture.ts'

const pageOf = (pattern: string) => ({
  pattern,
  file: `pages${pattern}.tsx`,
  data: 'none' as const,
  files: { module: '', imports: [], styles: [] },
})
const has = (type: 'header' | 'cookie' | 'query', key: string, value?: string) => [
  { type, key, ...(value !== undefined && { value }) },
]
const manifest = {
  buildId: 'build1',
  pages: ['/', '/about', '/places/[slug]', '/files/[...rest]'].map(pageOf),
  rewrites: [
    { source: '/alias/:slug', destination: '/places/:slug?from=alias' },
    { source: '/cookie', destination: '/places/cookie', has: has('cookie', 'beta', 'a b') },
    { source: '/header', destination: '/places/header', has: has('header', 'X-Beta', '1') },
    { source: '/query', destination: '/places/query', has: has('query', 'beta') },
    { source: '/secure', destination: '/places/secure', has: has('header', 'x-forwarded-proto', 'https') },
    { source: '/forged', destination: '/places/forged', has: has('header', 'portico-internal-route') },
    { source: '/host', destination: '/places/host', has: [{ type: 'host' as const, value: 'a.example' }] },
    { source: '/zero/:rest*', destination: '/files/%:rest*' },
  ],
}
const VERSION = 'build1.env1'
const ROUTE = 'portico-internal-route'

let upstream: Upstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startUpstream('upstream', { version: VERSION })
  gateway = await startGateway({ upstreams: all(upstream), manifest })
})
afterAll(() => Promise.all([gateway.stop(), upstream.stop()]))

/** What the upstream received with the last request; undefined without the header. */
function received(from = upstream) {
  const text = from.requests.at(-1)?.headers[ROUTE]
  return typeof text === 'string' ? parsePassedRoute(text) : undefined
}

async function passed(path: string, headers: Record<string, string> = {}, port = gateway.port) {
  await send(port, path, { headers })
  return received()
}

describe('the resolution that a renderer receives', () => {
  it.each([
    ['/', { pattern: '/', params: {} }],
    ['/places/a%2Fb?x=1', { pattern: '/places/[slug]', params: { slug: 'a/b' } }],
    ['/places/caf%C3%A9', { pattern: '/places/[slug]', params: { slug: 'café' } }],
    ['/files/a/b', { pattern: '/files/[...rest]', params: { rest: ['a', 'b'] } }],
    ['/alias/x?y=1', { pattern: '/places/[slug]', params: { slug: 'x' }, target: '/places/x?from=alias&y=1' }],
    ['/_portico/data/build1/index.json', { pattern: '/', params: {} }],
    ['/_portico/data/build1/places/a%2Fb.json?x=1', { pattern: '/places/[slug]', params: { slug: 'a/b' } }],
    [
      '/_portico/data/build1/alias/x.json?y=1',
      { pattern: '/places/[slug]', params: { slug: 'x' }, target: '/places/x?from=alias&y=1' },
    ],
  ])('W9 names page, params and version: %s', async (path, page) => {
    expect(await passed(path)).toEqual({ version: VERSION, page })
    for (const method of ['HEAD', 'GET']) {
      await send(gateway.port, path, { method })
      expect([upstream.requests.at(-1)?.url, received()]).toEqual([path, { version: VERSION, page }])
    }
  })

  it('W9 names no page for a path without one: the renderer sends the not-found screen', async () => {
    const response = await send(gateway.port, '/none')
    expect([response.text, received()]).toEqual(['from upstream', { version: VERSION }])
  })

  it.each([
    ['/cookie', { cookie: 'x=1; beta=a%20b' }, { cookie: 'beta=b' }],
    ['/header', { 'x-beta': '1' }, { 'x-beta': '2' }],
    ['/host', { host: 'A.example:80' }, { host: 'b.example' }],
  ])('R7 C2 compares the request where a rewrite has conditions: %s', async (path, met, unmet) => {
    expect((await passed(path, met as Record<string, string>))?.page?.target).toBe(`/places${path}`)
    expect(await passed(path, unmet as Record<string, string>)).toEqual({ version: VERSION })
    expect((await passed('/query?beta'))?.page?.target).toBe('/places/query?beta')
  })

  it('G5 W9 satisfies no condition by a header that only the gateway writes', async () => {
    expect(await passed('/secure', { 'x-forwarded-proto': 'https' })).toEqual({ version: VERSION })
    expect(await passed('/forged', { [ROUTE]: 'x' })).toEqual({ version: VERSION })
    const trusting = await gatewayOf({ upstreams: all(upstream), manifest, trustedProxies: ['127.0.0.1'] })
    const page = (await passed('/secure', { 'x-forwarded-proto': 'https' }, trusting.port))?.page
    expect(page?.target).toBe('/places/secure')
  })

  it('R3 responds 400 itself where a rewrite leads to a malformed path', async () => {
    const before = upstream.requests.length
    expect((await send(gateway.port, '/zero/00')).status).toBe(400)
    expect((await send(gateway.port, '/_portico/data/build1/zero/00.json')).status).toBe(400)
    expect(upstream.requests.length).toBe(before)
  })

  it('G1 W9 is never what a client sent', async () => {
    const forged = JSON.stringify({ version: VERSION, page: { pattern: '/about', params: {} } })
    for (const name of [ROUTE, 'Portico-Internal-Route', 'PORTICO-INTERNAL-ROUTE']) {
      expect(await passed('/places/x', { [name]: forged })).toMatchObject({ page: { pattern: '/places/[slug]' } })
      for (const path of ['/api/x', '/_portico/image?url=a', '/_portico/data/other/about.json']) {
        await send(gateway.port, path, { headers: { [name]: forged } })
        // No handler is at the address in this build.
        const own = path.startsWith('/api/') ? '{"guard":"build1","moved":"none"}' : undefined
        expect([path, upstream.requests.at(-1)?.headers[ROUTE]]).toEqual([path, own])
      }
    }
    const headers = { [ROUTE]: forged, 'content-type': 'application/x-www-form-urlencoded' }
    await send(gateway.port, '/about', { method: 'POST', headers, body: 'a=1' })
    expect(upstream.requests.at(-1)).toMatchObject({ method: 'POST', url: '/about' })
    expect(upstream.requests.at(-1)?.headers[ROUTE]).toBe('{"guard":"build1"}')
  })

  it('W9 is absent above its limit: the renderer resolves the path itself', async () => {
    expect(await passed(`/places/${'x'.repeat(PASSED_ROUTE_LIMIT_BYTES)}`)).toBeUndefined()
    expect(upstream.requests.at(-1)?.url).toHaveLength(PASSED_ROUTE_LIMIT_BYTES + '/places/'.length)
  })

  it('W9 G3 is absent for page data of another build, and for a replica of another build or of an unknown version', async () => {
    expect(await passed('/_portico/data/other/about.json')).toBeUndefined()
    for (const version of ['build2.env1', undefined]) {
      const other = await upstreamOf('other', { version })
      const { port } = await gatewayOf({ upstreams: all(other), manifest })
      await send(port, '/about', { headers: { [ROUTE]: 'forged' } })
      expect(other.requests.at(-1)?.headers).not.toHaveProperty(ROUTE)
    }
  })

  it('W9 has the version of each replica when a request is sent again', async () => {
    const { one, two, gateway } = await twoReplicas({ manifest }, [VERSION, 'build1.env2'])
    one.respond = (request) => void request.socket.destroy()
    // The gateway chooses at random.
    while (one.requests.length === 0) expect((await send(gateway.port, '/about')).text).toBe('from two')
    expect(
      new Set(one.requests.map(({ headers }) => headers[ROUTE]).map((text) => parsePassedRoute(String(text))?.version)),
    ).toEqual(new Set([VERSION]))
    expect(new Set(two.requests.map(({ headers }) => parsePassedRoute(String(headers[ROUTE]))?.version))).toEqual(
      new Set(['build1.env2']),
    )
  })

  it('C2 equals what a renderer would find in the request that it receives, for any path and any facts', async () => {
    const segment = fc.constantFrom('places', 'files', 'alias', 'cookie', 'host', 'a', '%2F', '%C3%A9', '%2541', '%25')
    const arbitrary = fc.record({
      parts: fc.array(segment, { maxLength: 3 }),
      search: fc.constantFrom('', '?beta', '?x=1&beta=2'),
      headers: fc.record(
        {
          cookie: fc.constantFrom('beta=a%20b', 'beta="a b"', 'beta=a b; beta=c'),
          'x-beta': fc.constantFrom('1', '2'),
        },
        { requiredKeys: [] },
      ),
      host: fc.constantFrom('a.example', 'A.EXAMPLE:8080', 'b.example'),
    })
    const resolve = createPageResolver(manifest)
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ parts, search, headers, host }) => {
        const path = `/${parts.join('/')}`
        const got = await passed(path + search, { ...headers, host })
        const seen = upstream.requests.at(-1)!.headers as Record<string, string>
        // As services/renderer reads the request.
        const origin = new URL(`http://${seen['x-forwarded-host']}`)
        const facts = createFacts({
          search,
          header: (name) => seen[name],
          cookie: (name) => parseCookie(seen.cookie ?? '')[name],
          host: () => origin.host,
        })
        const wanted = resolve(path, search, facts)
        if (wanted.kind !== 'page') return void expect(got).toEqual({ version: VERSION })
        expect(got?.page).toMatchObject({ pattern: wanted.entry.pattern, params: wanted.params })
        expect(got?.page?.target ?? path + search).toBe(wanted.pathname + wanted.search)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the access line', () => {
  const lineOf = async (path: string, from: TestGateway = gateway) => {
    from.lines.length = 0
    await send(from.port, path)
    await expect.poll(() => from.lines.find(({ event }) => event === 'request')).toBeDefined()
    return from.lines.find(({ event }) => event === 'request')
  }

  it.each([
    ['/places/x', '/places/[slug]'],
    ['/alias/x', '/places/[slug]'],
    ['/_portico/data/build1/places/x.json', '/places/[slug]'],
    ['/none', 'page'],
    ['/_portico/data/build1/none.json', 'data'],
    ['/_portico/data/other/about.json', 'data'],
  ])('G7 names the pattern that the gateway found: %s is %s', async (path, route) => {
    expect(await lineOf(path)).toMatchObject({ route })
  })

  it('W9 says where a renderer resolved the path again, and why', async () => {
    const other = await upstreamOf('other', {
      version: VERSION,
      respond: (_request, response) =>
        void response
          .writeHead(200, { [ROUTE]: '/[page]', 'portico-internal-resolved-again': 'other-version' })
          .end('from other'),
    })
    const behind = await gatewayOf({ upstreams: all(other), manifest })
    expect(await lineOf('/about', behind)).toMatchObject({ route: '/[page]', resolvedAgain: 'other-version' })
    expect(await lineOf('/about')).not.toHaveProperty('resolvedAgain')
  })
})
