import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIRST_BYTE_LIMITS, publicRoutes } from './routes.ts'
import { send, startGateway, startUpstream, type TestGateway, type Upstream } from './testing/gateway-fixture.ts'

let renderer: Upstream
let images: Upstream
let actions: Upstream
let gateway: TestGateway
let based: TestGateway

const FILES = {
  'client/static/app-1a2b.js': 'export {}',
  'client/manifest/build1.json': '{"buildId":"build1"}',
  'public/robots.txt': 'User-agent: *',
  'public/a file.txt': 'a file',
}

beforeAll(async () => {
  renderer = await startUpstream('renderer')
  images = await startUpstream('images')
  actions = await startUpstream('actions')
  const upstreams = { renderer, images, actions }
  gateway = await startGateway({ upstreams, files: FILES })
  based = await startGateway({ upstreams, files: FILES, manifest: { basePath: '/docs' } })
})
afterAll(() => Promise.all([gateway, based, renderer, images, actions].map((part) => part.stop())))

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const CASES: [method: string, path: string, headers: Record<string, string>, expected: string][] = [
  ['GET', '/', {}, 'from renderer'],
  ['GET', '/about?x=1', {}, 'from renderer'],
  ['GET', '/apiary', {}, 'from renderer'],
  ['GET', '/_portico/data/build1/index.json', {}, 'from renderer'],
  ['GET', '/_portico/image?url=%2Fa.png&w=640&q=75', {}, 'from images'],
  ['GET', '/_next/image?url=%2Fa.png&w=640&q=75', {}, 'from images'],
  ['GET', '/api', {}, 'from actions'],
  ['GET', '/api/places/x', {}, 'from actions'],
  ['DELETE', '/api/places/x', {}, 'from actions'],
  ['PATCH', '/api/places/x', {}, 'from actions'],
  ['OPTIONS', '/api/places/x', {}, 'from actions'],
  ['POST', '/about', FORM, 'from actions'],
  ['POST', '/about', { 'content-type': 'multipart/form-data; boundary=x' }, 'from actions'],
  ['POST', '/about', { 'portico-action': 'abc', 'content-type': 'application/json' }, 'from actions'],
  ['GET', '/_portico/static/app-1a2b.js', {}, 'export {}'],
  ['GET', '/_portico/manifest/build1.json', {}, '{"buildId":"build1"}'],
  ['GET', '/robots.txt', {}, 'User-agent: *'],
  ['GET', '/a%20file.txt', {}, 'a file'],
]

const FILES_OF = { module: '', imports: [], styles: [] }
const PAGES: Manifest['pages'] = [
  { pattern: '/form', file: 'pages/form.tsx', data: 'server', methods: 'all', files: FILES_OF },
  { pattern: '/fixed', file: 'pages/fixed.tsx', data: 'none', files: FILES_OF },
  { pattern: '/sent', file: 'pages/sent.tsx', data: 'none', methods: 'form', crossOrigin: true, files: FILES_OF },
]
const ACTION = { id: 'save', file: 'actions.ts', name: 'save' }

describe('a page that reads bodies itself', () => {
  const JSON_TYPE = { 'content-type': 'application/json' }
  const start = (siteActions: Manifest['actions'], semantics = {}) =>
    startGateway({
      upstreams: { renderer, images, actions },
      manifest: {
        pages: PAGES,
        actions: siteActions,
        semantics,
        rewrites: [{ source: '/alias', destination: '/form', phase: 'beforeFiles' }],
      },
    })

  it.each<[string, Manifest['actions'], string]>([
    ['without actions to the renderer', [], 'from renderer'],
    ['with actions to the actions service', [ACTION], 'from actions'],
  ])('X7 E6 receives forms %s, and every other body directly', async (_name, siteActions, formsAt) => {
    const own = await start(siteActions)
    const request = async (method: string, path: string, headers = {}) => {
      const { status, text, headers: sent } = await send(own.port, path, { method, headers, body: 'a=%FF' })
      return status === 200 ? text : [status, sent.allow]
    }
    expect(await request('POST', '/form?x=1', FORM)).toBe(formsAt)
    expect(await request('POST', '/alias', FORM)).toBe(formsAt)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect([method, await request(method, '/form', { ...JSON_TYPE, 'content-length': '5' })]).toEqual([
        method,
        'from renderer',
      ])
    expect(renderer.requests.at(-5)).toMatchObject({ method: 'POST', body: 'a=%FF' })
    expect(await request('POST', '/form', { ...JSON_TYPE, 'portico-action': 'save' })).toBe('from actions')
    expect(await request('POST', '/sent', FORM)).toBe(formsAt)
    for (const path of ['/fixed', '/sent'])
      expect([path, await request('POST', path, JSON_TYPE)]).toEqual([path, [405, 'GET, HEAD']])
    expect(await request('POST', '/_portico/data/build1/form.json', JSON_TYPE)).toEqual([405, 'GET, HEAD'])
    expect(await request('TRACE', '/form')).toEqual([405, 'GET, HEAD'])
    await own.stop()
  })

  it('X7 what is posted where nothing is reaches the renderer with `unknownMethods` only, for its page of 404', async () => {
    for (const [unknownMethods, status] of [
      [true, 200],
      [false, 405],
    ] as const) {
      const own = await start([], { unknownMethods })
      for (const [method, headers] of [
        ['POST', FORM],
        ['POST', JSON_TYPE],
        ['PUT', FORM],
      ] as const)
        expect((await send(own.port, '/nothing', { method, headers, body: '1' })).status).toBe(status)
      await own.stop()
    }
  })

  it('E6 a static page of a site without actions takes no form', async () => {
    const own = await start([])
    const { status, headers } = await send(own.port, '/fixed', { method: 'POST', headers: FORM, body: 'a=1' })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    await own.stop()
  })

  it('G1 sends a body to one replica once, whose connection breaks', async () => {
    const own = await start([])
    const { respond } = renderer
    let received = 0
    renderer.respond = (request) => {
      received++
      request.socket.destroy()
    }
    const { status } = await send(own.port, '/form', { method: 'POST', headers: FORM, body: 'a=1' })
    renderer.respond = respond
    expect([status, received]).toEqual([502, 1])
    await own.stop()
  })
})

describe('the routing table', () => {
  it.each(CASES)('G1 %s %s %o is dispatched to the right part', async (method, path, headers, expected) => {
    const response = await send(gateway.port, path, { method, headers })
    expect([response.status, response.text]).toEqual([200, expected])
  })

  it.each(CASES)('W1 %s %s %o works below basePath', async (method, path, headers, expected) => {
    const response = await send(based.port, `/docs${path === '/' ? '' : path}`, { method, headers })
    expect([response.status, response.text]).toEqual([200, expected])
  })

  it('W1 passes paths on unchanged, basePath, encoding and query included', async () => {
    await send(based.port, '/docs/places/caf%C3%A9%2Fx?q=a%20b&q=c')
    expect(renderer.requests.at(-1)?.url).toBe('/docs/places/caf%C3%A9%2Fx?q=a%20b&q=c')
  })

  it('W1 responds with 404 and the screen outside basePath', async () => {
    for (const path of ['/', '/about', '/docsx', '/_portico/static/app-1a2b.js']) {
      const response = await send(based.port, path)
      expect([path, response.status, response.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(response.text).toContain('This page could not be found.')
    }
  })

  it.each([
    ['POST', '/about', {}],
    ['POST', '/', { 'content-type': 'application/json' }],
    ['PUT', '/about', FORM],
    ['DELETE', '/about', { 'portico-action': 'abc' }],
    ['OPTIONS', '/about', {}],
    ['POST', '/robots.txt', FORM],
    ['POST', '/_portico/static/app-1a2b.js', FORM],
    ['POST', '/_portico/data/build1/index.json', {}],
    ['POST', '/_portico/image', {}],
    ['POST', '/_portico/manifest/build1.json', {}],
  ])('E6 %s %s %o is 405 with Allow', async (method, path, headers) => {
    const before = [renderer, images, actions].map((upstream) => upstream.requests.length)
    const response = await send(gateway.port, path, { method, headers: headers as Record<string, string> })
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect([renderer, images, actions].map((upstream) => upstream.requests.length)).toEqual(before)
  })

  it('G3 responds to a missing hashed file with plain text that no cache stores', async () => {
    for (const name of ['gone.js', 'app-1a2b.js.br', '..%2f..%2fmanifest.json', 'constructor', '__proto__']) {
      const { status, headers } = await send(gateway.port, `/_portico/static/${name}`)
      expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
      expect(headers['cache-control']).toContain('no-store')
    }
  })

  it('W1 responds to an unknown manifest with JSON that no cache stores', async () => {
    const { status, headers, text } = await send(gateway.port, '/_portico/manifest/other.json')
    expect([status, headers['portico-build']]).toEqual([404, 'build1'])
    expect(headers['cache-control']).toContain('no-store')
    expect(JSON.parse(text)).toMatchObject({ error: { status: 404 } })
  })

  it('V1 has /dev only in development, where the renderer also serves files', async () => {
    expect((await send(gateway.port, '/_portico/dev/client')).status).toBe(404)
    const dev = await startGateway({ upstreams: { renderer, images, actions }, devMode: true })
    for (const path of ['/_portico/dev/client', '/_portico/static/a.js', '/_portico/manifest/x.json'])
      expect((await send(dev.port, path)).text).toBe('from renderer')
    await dev.stop()
  })

  it('V4 limits no page, page data, module, action or handler of development before it is compiled', () => {
    const limits = (devMode: boolean) =>
      publicRoutes({ isPublicFile: () => false, devMode })
        .filter(({ by }) => by === 'renderer' || by === 'actions')
        .map(({ firstByteMs }) => firstByteMs)
    expect(Math.min(...limits(true))).toBeGreaterThanOrEqual(60_000)
    expect(Math.min(...limits(false))).toBe(FIRST_BYTE_LIMITS.pageMs)
  })

  it('I4 serves only files on the listener for the images service', async () => {
    expect((await send(gateway.sitePort, '/robots.txt')).text).toBe('User-agent: *')
    expect((await send(gateway.sitePort, '/_portico/static/app-1a2b.js')).text).toBe('export {}')
    for (const path of ['/', '/about', '/api/x', '/_portico/data/build1/index.json', '/_portico/image', '/_next/image'])
      expect([path, (await send(gateway.sitePort, path)).status]).toEqual([path, 404])
  })

  it('I4 opens an API handler to the images service only where a pattern names its path, and only for reading', async () => {
    const localPatterns = [{ pathname: '/**' }, { pathname: '/api/images/**' }]
    // The gateway reads no other setting of images.
    const settings = { localPatterns } as Manifest['images']
    const open = await startGateway({ upstreams: { renderer, images, actions }, manifest: { images: settings } })
    const requested = actions.requests.length
    expect((await send(open.sitePort, '/api/images/a.png?v=1')).text).toBe('from actions')
    expect(actions.requests.at(-1)?.url).toBe('/api/images/a.png?v=1')
    for (const path of ['/api', '/api/x', '/api/imagesque', '/%61pi/images/a.png'])
      expect([path, (await send(open.sitePort, path)).status]).toEqual([path, 404])
    expect((await send(open.sitePort, '/api/images/a.png', { method: 'POST' })).status).toBe(405)
    expect(actions.requests.length).toBe(requested + 1)
    await open.stop()
  })

  it('G1 responds to HEAD as to GET, without a body', async () => {
    const response = await send(gateway.port, '/robots.txt', { method: 'HEAD' })
    expect([response.status, response.headers['content-length'], response.text]).toEqual([200, '13', ''])
    expect((await send(gateway.port, '/about', { method: 'HEAD' })).status).toBe(200)
    expect(renderer.requests.at(-1)?.method).toBe('HEAD')
  })
})
