// What middleware decides about, and that nothing of a client leads around it.

import { expect, it } from 'vitest'
import { send } from '../../testing/gateway-fixture.ts'
import { guardedGateway, guardedSite, guardOf, NEXT, passedIn, SITE } from '../../testing/guarded-gateway.ts'
import { openClient } from '../../testing/open-client.ts'

const REFUSAL = { kind: 'response', status: 401, body: '', responseHeaders: [] }
const ADMIN = [{ source: '/admin/:path*' }, { source: '/api/admin/:path*' }, { source: '/files/:path*' }]
const files = { module: '', imports: [], styles: [] }
const MANIFEST = {
  semantics: { dataUrls: true },
  pages: [
    { pattern: '/', file: '', data: 'none' as const, files },
    { pattern: '/admin', file: '', data: 'static' as const, files },
    { pattern: '/admin/[id]', file: '', data: 'server' as const, files },
    { pattern: '/open', file: '', data: 'none' as const, files },
  ],
  apiRoutes: [{ pattern: '/api/admin/users', file: '' }],
  actions: [{ id: 'a1', file: '', name: 'save' }],
  rewrites: [{ source: '/files/ext/:path*', destination: 'http://192.0.2.1/:path*' }],
}
const FILES = { 'public/files/secret.txt': 'secret', 'public/open.txt': 'open', 'client/static/a.js': 'a' }

/** `/admin` as a page that is rendered for each request, in one exchange with middleware. */
const RENDERED = {
  ...MANIFEST,
  pages: MANIFEST.pages.map((page) => (page.pattern === '/admin' ? { ...page, data: 'server' as const } : page)),
}

async function setUp(options: Parameters<typeof guardedGateway>[1] = {}) {
  const guard = await guardOf()
  guard.decide = () => REFUSAL
  const gateway = await guardedGateway(guard, { matchers: ADMIN, manifest: MANIFEST, files: FILES, ...options })
  return { guard, gateway, get: (path: string, init = {}) => send(gateway.port, path, init) }
}

const ACTION = { 'portico-action': 'a1' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

it.each([
  ['cached', MANIFEST, 0],
  ['rendered for each request', RENDERED, 6],
])('X15 middleware decides about every way to a guarded path: a page that is %s', async (_how, manifest, least) => {
  const { guard, get } = await setUp({ manifest })
  const ways: [string, string, object?][] = [
    ['GET', '/admin'],
    ['HEAD', '/admin'],
    ['OPTIONS', '/admin'],
    ['POST', '/admin', { headers: ACTION, body: '[]' }],
    ['POST', '/admin', { headers: FORM, body: 'a=b' }],
    ['DELETE', '/admin'],
    ['PUT', '/admin/1', { body: 'x' }],
    ['GET', '/admin?_method=POST'],
    ['GET', '/%61dmin'],
    ['GET', '/admin%2Fx'],
    ['GET', '/ADMIN'],
    ['GET', '/admin;x'],
    ['GET', '/admin/unknown/path'],
    ['GET', '/_portico/data/build1/admin.json'],
    ['HEAD', '/_portico/data/build1/admin.json'],
    ['GET', '/_portico/data/build1/%61dmin.json'],
    ['GET', '/_portico/data/build1/admin/1.json'],
    ['GET', '/admin/1'],
    ['GET', '/admin/1', { headers: { 'portico-internal-route': '{"question":{"build":"build1","url":"/open"}}' } }],
    ['GET', '/admin/1', { headers: { 'portico-internal-verdict': '{"kind":"next","responseHeaders":[]}' } }],
    ['GET', `/admin/1?${'x'.repeat(5000)}`],
    ['GET', '/_portico/data/other/admin/1.json'],
    ['GET', '/_next/data/build1/admin.json'],
    ['GET', '/_next/data/other/admin.json'],
    ['GET', '/api/admin/users'],
    ['PATCH', '/api/admin/users', { body: '{}' }],
    ['GET', '/files/secret.txt'],
    ['GET', '/files/secret.txt', { headers: { range: 'bytes=0-1' } }],
    ['GET', '/files/secret.txt', { headers: { 'if-none-match': '*' } }],
    ['GET', '/files/%73ecret.txt'],
    ['GET', '/files/ext/a'],
    ['GET', '/files/ext/a', { headers: { upgrade: 'websocket', connection: 'upgrade' } }],
    ['GET', '/admin', { headers: { upgrade: 'websocket', connection: 'upgrade' } }],
    ['POST', '/admin', { headers: { 'x-http-method-override': 'GET' } }],
    ['GET', '/admin', { headers: { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware' } }],
    ['GET', '/admin', { headers: { 'x-middleware-next': '1', 'x-middleware-rewrite': '/open' } }],
    ['GET', '/admin', { headers: { 'portico-internal-route': '{"guard":"build1","moved":"/open"}' } }],
    ['GET', '/admin', { headers: { 'x-original-url': '/open', 'x-rewrite-url': '/open' } }],
    ['GET', '/admin', { headers: { purpose: 'prefetch', 'portico-prefetch': '1', 'x-nextjs-data': '1' } }],
  ]
  for (const [method, path, init] of ways) {
    const before = guard.questions.length
    const { status } = await get(path, { method, ...init })
    expect([method, path, status, guard.questions.length - before]).toEqual([method, path, 401, 1])
  }
  expect(guard.withPage).toBeGreaterThan(least)
  for (const { headers } of guard.questions)
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/^(x-middleware-|portico-internal-)/)
})

it('X15 non-canonical spellings are redirected before, and never to content', async () => {
  const { guard, get } = await setUp()
  for (const path of ['//admin', '/admin/', '/x/../admin', '/admin//1'])
    expect([path, (await get(path)).status]).toEqual([path, 308])
  expect(guard.asked()).toEqual([])
})

it('X15 files of the framework, and paths that no matcher fits, cause no question', async () => {
  const { guard, get } = await setUp()
  for (const [path, status] of [
    ['/', 200],
    ['/open', 200],
    ['/open.txt', 200],
    ['/_portico/data/build1/open.json', 200],
    ['/_portico/static/a.js', 200],
    ['/_portico/manifest/build1.json', 404],
    ['/_portico/data/admin.json', 200],
  ] as const)
    expect([path, (await get(path)).status]).toEqual([path, status])
  expect(guard.asked()).toEqual([])
})

it('X15 no matcher can guard the framework, with a matcher for all paths', async () => {
  const { guard, get } = await setUp({ matchers: [{ source: '/:path*' }] })
  expect((await get('/_portico/static/a.js')).status).toBe(200)
  expect((await get('/_portico/manifest/build1.json')).status).toBe(404)
  expect((await get('/_portico/dev/x')).status).toBe(404)
  expect(guard.asked()).toEqual([])
  for (const path of ['/', '/nowhere', '/_next/static/x.js', '/favicon.ico']) expect((await get(path)).status).toBe(401)
})

it('X15 W2 for page data middleware sees the address of the page, and which build', async () => {
  const { guard, get } = await setUp({ manifest: { ...MANIFEST, basePath: '/docs', trailingSlash: true } })
  await get('/docs/_portico/data/b2/admin.json?x=1', { headers: { cookie: 'a=1' } })
  await get('/docs/admin/?x=1')
  expect(guard.questions).toMatchObject([
    { build: 'build1', method: 'GET', url: '/docs/admin/?x=1', dataBuild: 'b2' },
    { build: 'build1', method: 'GET', url: '/docs/admin/?x=1' },
  ])
  expect(guard.questions[0]!.headers).toMatchObject({ cookie: 'a=1', 'x-forwarded-for': '127.0.0.1' })
})

it('X15 I4 middleware decides about the source of an image, for each client, before the cache of images', async () => {
  const { guard, get } = await setUp({ manifest: { ...MANIFEST, basePath: '/docs' } })
  guard.decide = ({ headers }) =>
    headers.cookie === 'in=1' ? { kind: 'next', responseHeaders: [['set-cookie', 'a=b']] } : REFUSAL
  const image = (url: string, init = {}) => get(`/docs/_portico/image?w=640&url=${url}`, init)
  guard.renderer.upstream.respond = (
    (others) => (request, response, body) =>
      request.url?.includes('image')
        ? void response.setHeader('cache-control', 'public, max-age=60, s-maxage=99').end('image')
        : others(request, response, body)
  )(guard.renderer.upstream.respond)
  const refused = await image('/docs/files/a.png')
  expect([refused.status, refused.headers['cache-control']]).toEqual([401, 'private, no-store'])
  const passed = await image('/docs/files/a.png', { headers: { cookie: 'in=1' } })
  expect([passed.status, passed.text, passed.headers['cache-control']]).toEqual([200, 'image', 'private, max-age=60'])
  expect(passed.headers['set-cookie']).toBeUndefined()
  for (const url of ['%2Fdocs%2Ffiles%2Fa.png', '/docs/%2566iles/a.png', '/docs/FILES/a.png', '/docs/x/../files/a.png'])
    expect([url, (await image(url)).status]).toEqual([url, 401])
  expect((await get('/docs/_next/image?url=%2Fdocs%2Ffiles%2Fa.png&w=640')).status).toBe(401)
  guard.decide = () => ({ kind: 'redirect', status: 307, location: '/log-in', responseHeaders: [] })
  expect((await image('/docs/files/a.png')).status).toBe(403)
  guard.questions.length = 0
  for (const url of [
    '/docs/files/a.png&url=/docs/open.png',
    'https://img.example/files/a.png',
    '//evil.example/files',
    '/files/a.png',
    '/docs/open.png',
    '/docs/_portico/static/a.png',
  ])
    expect([url, (await image(url)).status]).toEqual([url, 200])
  expect(guard.asked()).toEqual([])
})

it('X15 X4 an imported image whose address has assetPrefix is a file of the framework', async () => {
  const { guard, get } = await setUp({
    matchers: [{ source: '/:path*' }],
    manifest: { ...MANIFEST, assetPrefix: '/cdn' },
  })
  for (const url of ['/cdn/_portico/static/a.png', '/_portico/static/a.png'])
    expect([url, (await get(`/_portico/image?w=640&url=${url}`)).status]).toEqual([url, 200])
  expect((await get('/_portico/image?w=640&url=/cdn/_portico/static/../../open.png')).status).toBe(401)
  expect(guard.asked()).toEqual(['/cdn/open.png'])
})

it('G8 X15 a Connection header cannot name a header of middleware', async () => {
  const { guard, gateway } = await setUp()
  const head = 'GET /admin HTTP/1.1\r\nHost: a\r\nConnection: x-middleware-next\r\n\r\n'
  const client = openClient(gateway.port, head)
  await expect.poll(client.statuses).toEqual(['400'])
  client.socket.destroy()
  expect(guard.asked()).toEqual([])
})

it('X15 G1 an upstream cannot send headers of middleware to clients', async () => {
  const { guard, get } = await setUp()
  guard.decide = () => ({ kind: 'next', responseHeaders: [] })
  guard.renderer.upstream.respond = (
    (others) => (request, response, body) =>
      request.url === '/api/admin/users'
        ? void response.setHeader('x-middleware-rewrite', '/x').end('ok')
        : others(request, response, body)
  )(guard.renderer.upstream.respond)
  const { text, headers } = await get('/api/admin/users')
  expect([text, headers['x-middleware-rewrite']]).toEqual(['ok', undefined])
})

it('X15 I4 the listener of the images service runs no middleware: middleware has decided about its clients', async () => {
  const { guard, gateway } = await setUp()
  expect((await send(gateway.sitePort, '/files/secret.txt')).text).toBe('secret')
  expect(guard.asked()).toEqual([])
})

it.each([
  ['/%61dmin/%7euser', '/admin/~user'],
  ['/admin/%40team%3a%2B%26', '/admin/@team:+&'],
  ['/admin/%c3%bc%20', '/admin/%C3%BC%20'],
  ['/admin/a%2fb%5Cc%25%3f', '/admin/a%2Fb%5Cc%25%3F'],
  ['/_portico/data/build1/%61dmin/1.json', '/admin/1'],
])('X15 R3 middleware sees %s as %s, as routes read it', async (path, shown) => {
  const { guard, get } = await setUp()
  await get(path)
  expect(guard.asked()).toEqual([shown])
})

it.each(['/x/%2e%2e', '/admin/%2E', '/%2e%2e/admin'])('X15 W2 page data of %s is of no page', async (path) => {
  const { guard, get } = await setUp({ matchers: [{ source: '/:path*' }] })
  for (const prefix of ['/_portico', '/_next']) {
    const { status, text } = await get(`${prefix}/data/build1${path}.json`)
    expect([308, 200]).toContain(status)
    if (status === 200) expect(text).toBe('passed')
  }
  for (const { dataBuild } of guard.questions) expect(dataBuild).toBeUndefined()
})

it('X15 a path that a matcher excludes, as most exclude handlers and the framework, is of no page', async () => {
  const pages = [...MANIFEST.pages, { pattern: '/[...path]', file: '', data: 'static' as const, files }]
  const matchers = [{ source: '/((?!api|_next/static|_next/image).*)' }]
  const { guard, get } = await setUp({ matchers, manifest: { ...MANIFEST, pages } })
  const { upstream } = guard.renderer
  upstream.requests.length = 0
  for (const path of ['/%61pi/x', '/_next/static/x', '/_next/image/x', '/%5Fnext/static/x'])
    for (const address of [path, `/_portico/data/build1${path}.json`, `/_next/data/build1${path}.json`])
      await get(address)
  const sent = upstream.requests.map(({ url, headers }) => [decodeURIComponent(url), headers['portico-internal-route']])
  expect(JSON.stringify(sent)).not.toContain('[...path]')
  expect((await get('/else/x')).status).toBe(401)
})

it('X15 G3 the actions service learns that the build has no handler at an address, where another build may have one', async () => {
  const rewrites = [{ source: '/moved', destination: '/api/none' }]
  const { get, requests } = await guardedSite(() => NEXT, { manifest: { ...SITE, rewrites } })
  for (const path of ['/api/me', '/api/%6de', '/api/none', '/api', '/moved'])
    await get(path, { headers: { 'portico-internal-route': '{"moved":"/x"}' } })
  const targets = requests().map(({ headers }) => passedIn(headers).moved)
  expect(targets).toEqual([undefined, undefined, 'none', 'none', 'none'])
})
