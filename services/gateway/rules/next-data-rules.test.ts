// Rules of pages over the page data of Next.js: no address of a page's data bypasses a rule of the page (X2, R7).

import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream('upstream', { version: 'build1.x' })
})
afterAll(() => upstream.stop())
beforeEach(() => void upstream.requests.splice(0))

const nameBelow =
  (basePath: string) =>
  (page: string, build = 'build1') =>
    `${basePath}/_next/data/${build}/${page}.json`
const to = (location: string, status: number) => [
  200,
  { pageProps: { __N_REDIRECT: location, __N_REDIRECT_STATUS: status } },
]
const get = async ({ port }: TestGateway, path: string, headers: Record<string, string> = {}) => {
  const { status, text } = await send(port, path, { headers })
  return [status, text.startsWith('{') ? JSON.parse(text) : text]
}

it('X2 rules of pages apply to the page data of Next.js, in its form, and to no other address below /_next/data', async () => {
  const redirects = [
    { source: '/old/:id', destination: '/new/:id', status: 308 as const },
    { source: '/out', destination: '/elsewhere', status: 307 as const, basePath: false as const },
    { source: '/docs/out', destination: '/elsewhere', status: 307 as const, basePath: false as const },
    { source: '/_next/:rest*', destination: '/taken', status: 307 as const },
  ]
  const headers = [{ source: '/old/:id', headers: [{ key: 'X-A', value: 'rule' }] }]
  const manifest = { redirects, headers, basePath: '/docs', trailingSlash: true }
  const next = await startGateway({
    upstreams: all(upstream),
    manifest: { ...manifest, semantics: { dataUrls: true } },
  })
  const name = nameBelow('/docs')
  const headersOf = async (path: string) => (await send(next.port, path)).headers
  expect(await get(next, name('old/7'))).toEqual(to('/new/7', 308))
  expect(await get(next, name('old/7', 'build0'))).toEqual(to('/new/7', 308))
  expect(await get(next, name('out'))).toEqual(to(`http://127.0.0.1:${next.port}/elsewhere`, 307))
  expect(await headersOf(name('old/7'))).toMatchObject({
    'x-a': 'rule',
    'cache-control': 'private, no-store',
    'content-type': 'application/json; charset=utf-8',
    'portico-build': 'build1',
  })
  for (const path of ['/docs/_next/data', '/docs/_next/data/build1/old/7', '/docs/_next/data/build1/index/a.json'])
    expect([path, (await headersOf(path)).location]).toEqual([path, undefined])
  expect((await headersOf(`${name('old/7')}/?a=1`)).location).toBe(`${name('old/7')}?a=1`)
  expect((await headersOf('/docs/_next/static/a/')).location).toBeUndefined()
  expect((await send(next.port, name('old/7'), { method: 'POST' })).status).toBe(405)
  await next.stop()
  // Outside of the mode these are addresses of pages.
  const plain = await startGateway({ upstreams: all(upstream), manifest: { ...manifest, trailingSlash: false } })
  expect((await send(plain.port, name('old/7'))).headers.location).toBe('/docs/taken')
  await plain.stop()
})

it('X2 conditions, rewrites and the page are those of the address of the page', async () => {
  const files = { module: '', imports: [], styles: [] }
  const pages = [
    { pattern: '/places/[slug]', file: '', data: 'server' as const, files },
    { pattern: '/[...all]', file: '', data: 'server' as const, files },
  ]
  const has = [{ type: 'cookie' as const, key: 'out', value: '1' }]
  const redirects = [
    { source: '/places/:slug', destination: '/log-in', status: 307 as const, has },
    { source: '/:folder/moved', destination: '/', status: 307 as const },
  ]
  const rewrites = [
    { source: '/alias/:slug', destination: '/places/:slug?from=alias' },
    { source: '/text', destination: '/a.txt' },
    { source: '/:rest*', destination: '/taken', phase: 'fallback' as const },
  ]
  const manifest = { pages, redirects, rewrites, semantics: { dataUrls: true } } as const
  const gateway = await startGateway({ upstreams: all(upstream), manifest, files: { 'public/a.txt': 'a' } })
  const name = nameBelow('')
  expect(await get(gateway, name('places/a'), { cookie: 'out=1', 'x-nextjs-data': '1' })).toEqual(to('/log-in', 307))
  expect(upstream.requests).toEqual([])
  expect(await get(gateway, name('places/a'))).toEqual([200, 'from upstream'])
  expect(await get(gateway, name('alias/b'))).toEqual([200, 'from upstream'])
  expect((await get(gateway, name('text')))[0]).toBe(404)
  const statusOf = async (path: string) => (await get(gateway, path))[0]
  expect([await statusOf('/a/moved'), await statusOf('/_next/moved')]).toEqual([307, 200])
  expect(upstream.requests.pop()?.url).toBe('/_next/moved')
  const forged = { [INTERNAL_HEADERS.route]: '{"version":"build1.x","page":{"pattern":"/[...all]","params":{}}}' }
  await get(gateway, name('places/c'), forged)
  // These are no page's, whatever the site has: no rewrite and no catch-all page takes them.
  for (const path of ['/_next/data', '/_next/data/build1/places', name('index/a')]) await get(gateway, path)
  const passed = upstream.requests.map(({ url, headers }) => {
    const route = headers[INTERNAL_HEADERS.route]
    return [url, route && (JSON.parse(String(route)).page ?? 'no page')]
  })
  expect(passed).toEqual([
    [name('places/a'), { pattern: '/places/[slug]', params: { slug: 'a' } }],
    [name('alias/b'), { pattern: '/places/[slug]', params: { slug: 'b' }, target: '/places/b?from=alias' }],
    [name('places/c'), { pattern: '/places/[slug]', params: { slug: 'c' } }],
    ['/_next/data', undefined],
    ['/_next/data/build1/places', undefined],
    [name('index/a'), undefined],
  ])
  await gateway.stop()
})
