// Rewrites of the configuration at the gateway: which service responds, and which address it receives (R7, X4, X5).

import { parsePassedRoute } from '@portico/shared/wire/passed-route.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

const pageOf = (pattern: string) => ({
  pattern,
  file: `pages${pattern}.tsx`,
  data: 'none' as const,
  files: { module: '', imports: [], styles: [] },
})
const VERSION = 'build1.env1'
const manifest = {
  buildId: 'build1',
  basePath: '/base',
  pages: ['/about', '/places/[slug]'].map(pageOf),
  apiRoutes: ['/api/health', '/api/users/[id]'].map(pageOf),
  rewrites: [
    { source: '/robots.txt', destination: '/api/health?from=robots', phase: 'beforeFiles' as const },
    { source: '/api/page', destination: '/about', phase: 'beforeFiles' as const },
    { source: '/health', destination: '/api/health' },
    { source: '/api/v1/:path*', destination: '/api/:path*' },
    { source: '/text/:name', destination: '/:name.txt' },
    { source: '/pick', destination: '/b.txt', has: [{ type: 'cookie' as const, key: 'b' }] },
    { source: '/pick', destination: '/a.txt' },
    { source: '/gone', destination: '/nowhere' },
    { source: '/alias/:slug(\\d+)', destination: '/places/:slug' },
    {
      source: '/only',
      destination: '/places/:kind',
      has: [{ type: 'header' as const, key: 'x-kind', value: '(?<kind>[a-z]+) .*' }],
      missing: [{ type: 'cookie' as const, key: 'session' }],
    },
    { source: '/:path*', destination: '/places/fallback?path=:path*', phase: 'fallback' as const },
  ],
  headers: [{ source: '/text/:name', headers: [{ key: 'X-Name', value: 'is :name' }] }],
}

let renderer: Upstream
let actions: Upstream
let images: Upstream
let gateway: TestGateway
beforeAll(async () => {
  renderer = await startUpstream('renderer', { version: VERSION })
  actions = await startUpstream('actions')
  images = await startUpstream('images')
  const files = { 'public/robots.txt': 'file', 'public/a.txt': 'text a', 'public/b.txt': 'text b' }
  gateway = await startGateway({ upstreams: { renderer, actions, images }, manifest, files })
})
afterAll(() => Promise.all([gateway, renderer, actions, images].map((part) => part.stop())))
beforeEach(() => {
  for (const { requests } of [renderer, actions, images]) requests.length = 0
})

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const page = () => parsePassedRoute(String(renderer.requests.at(-1)?.headers['portico-internal-route']))?.page

describe('a rewrite', () => {
  it.each([
    ['GET', '/health?x=1', {}, '/base/api/health?x=1'],
    ['POST', '/health', json, '/base/api/health'],
    ['POST', '/health', form, '/base/api/health'],
    ['DELETE', '/api/v1/users/7', {}, '/base/api/users/7'],
    ['GET', '/robots.txt', {}, '/base/api/health?from=robots'],
  ])('X4 leads to an API handler: %s %s', async (method, path, headers, url) => {
    const response = await send(gateway.port, `/base${path}`, {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    })
    expect([response.status, response.text]).toEqual([200, 'from actions'])
    expect(actions.requests.map((request) => request.url)).toEqual([url])
    expect(actions.requests[0]?.headers['portico-internal-route']).toBe('{"guard":"build1"}')
  })

  it('X4 leads to a public file, with the headers of the requested path', async () => {
    const response = await send(gateway.port, '/base/text/a')
    expect([response.status, response.text, response.headers['x-name']]).toEqual([200, 'text a', 'is a'])
    expect((await send(gateway.port, '/base/text/a', { method: 'PUT' })).status).toBe(405)
  })

  it('X4 C6 leads to a file that no cache keeps, where conditions choose the file', async () => {
    const pick = async (headers: Record<string, string>) => {
      const response = await send(gateway.port, '/base/pick', { headers })
      return [response.text, response.headers['cache-control']]
    }
    expect(await pick({})).toEqual(['text a', 'private, no-store'])
    expect(await pick({ cookie: 'b=1' })).toEqual(['text b', 'private, no-store'])
    expect((await send(gateway.port, '/base/text/a')).headers['cache-control']).toMatch(/^public/)
  })

  it('X4 leads from the address of a handler to a page', async () => {
    expect((await send(gateway.port, '/base/api/page')).text).toBe('from renderer')
    expect(page()).toEqual({ pattern: '/about', params: {}, target: '/about' })
  })

  it('X4 leads to a page last, where nothing else is', async () => {
    expect((await send(gateway.port, '/base/x/y?q=1')).text).toBe('from renderer')
    expect(page()).toMatchObject({
      params: { slug: 'fallback' },
      target: '/places/fallback?path=x/y&q=1',
    })
    // The framework's own addresses and its images are no part of the site.
    for (const path of ['/_portico/x', '/_portico/static/none.js']) {
      expect([path, (await send(gateway.port, `/base${path}`)).status]).toEqual([path, 404])
      expect(renderer.requests).toHaveLength(1)
    }
    expect((await send(gateway.port, '/base/_next/image?url=a')).text).toBe('from images')
  })

  it('X4 leads to nothing from the address of a file or a handler, which do not respond then', async () => {
    const closed = {
      '/robots.txt': '/nowhere',
      '/api/health': '/_portico/nowhere',
      '/inner/:path*': '/_portico/:path*',
      '/inner-image': '/_next/image',
    }
    const rewrites = Object.entries(closed).map(([source, destination]) => ({
      source,
      destination,
      phase: 'beforeFiles' as const,
      missing: [{ type: 'header' as const, key: 'x-open' }],
    }))
    const closing = await startGateway({
      upstreams: { renderer, actions, images },
      manifest: { ...manifest, rewrites },
      files: { 'public/robots.txt': 'file' },
    })
    const textOf = async (path: string, headers = {}) => (await send(closing.port, `/base${path}`, { headers })).text
    for (const path of [
      '/robots.txt',
      '/api/health',
      '/inner/image?url=a',
      '/inner/static/a.js',
      '/inner/data/x.json',
      '/inner-image?url=a',
    ])
      expect([path, await textOf(path), page()]).toEqual([path, 'from renderer', undefined])
    const open = { 'x-open': '1' }
    expect([await textOf('/robots.txt', open), await textOf('/api/health', open)]).toEqual(['file', 'from actions'])
    await closing.stop()
  })

  it('X5 compares `has` and `missing`, and uses named groups', async () => {
    const headers = { 'x-kind': 'castle 7' }
    await send(gateway.port, '/base/only', { headers })
    expect(page()).toMatchObject({ params: { slug: 'castle' } })
    for (const unmet of [{}, { 'x-kind': 'castle' }, { ...headers, cookie: 'session=1' }]) {
      await send(gateway.port, '/base/only', { headers: unmet as Record<string, string> })
      expect(page()).toMatchObject({ params: { slug: 'fallback' } })
    }
  })

  it('X5 compares groups of the author with the decoded path', async () => {
    await send(gateway.port, '/base/alias/%31%32')
    expect(page()).toMatchObject({ params: { slug: '12' }, target: '/places/%31%32' })
    await send(gateway.port, '/base/alias/1a')
    expect(page()).toMatchObject({ params: { slug: 'fallback' } })
  })

  it('X4 a form is sent to the page that was requested, as the browser sent it', async () => {
    await send(gateway.port, '/base/alias/12', { method: 'POST', headers: form, body: 'a=1' })
    expect(actions.requests.map(({ url }) => url)).toEqual(['/base/alias/12'])
  })

  it('X4 W2 page data is that of the page, and none of a file or a handler: the browser requests the address', async () => {
    const data = (path: string) => send(gateway.port, `/base/_portico/data/build1${path}.json`)
    expect((await data('/alias/12')).text).toBe('from renderer')
    expect(page()).toMatchObject({ params: { slug: '12' } })
    for (const path of ['/health', '/text/a']) {
      const response = await data(path)
      expect([path, response.status, response.headers['content-type']]).toEqual([
        path,
        404,
        'application/json; charset=utf-8',
      ])
      expect(JSON.parse(response.text)).not.toHaveProperty('kind')
    }
    expect(actions.requests).toEqual([])
  })

  it('X4 I4 leads to a file for the images service, and never to a page', async () => {
    expect((await send(gateway.sitePort, '/base/text/a')).text).toBe('text a')
    expect((await send(gateway.sitePort, '/base/alias/12')).status).toBe(404)
    expect((await send(gateway.sitePort, '/base/health')).status).toBe(404)
    expect([renderer.requests.length, actions.requests.length]).toEqual([0, 0])
  })
})
