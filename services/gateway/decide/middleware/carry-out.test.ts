// What each verdict does to the responses of each responder.

import { expect, it } from 'vitest'
import type { TestResponse } from '../../testing/gateway-fixture.ts'
import { guardedSite, passedIn, SITE } from '../../testing/guarded-gateway.ts'
import { openClient, postOf } from '../../testing/open-client.ts'

const GUARDED = 'private, max-age=0, must-revalidate'

const next = (responseHeaders: [string, string][] = [], requestHeaders?: object) => ({
  kind: 'next',
  responseHeaders,
  ...(requestHeaders && { requestHeaders }),
})

it('X15 C8 cookies of middleware are of one client: they are in no entry that the cache keeps', async () => {
  const { guard, get } = await guardedSite(({ headers }) =>
    next([
      ['set-cookie', `for=${headers.cookie}`],
      ['set-cookie', 'b=2'],
    ]),
  )
  const cookies: unknown[] = []
  for (const cookie of ['one', 'two', 'one']) {
    const { headers, text } = await get('/about', { headers: { cookie } })
    cookies.push(headers['set-cookie'])
    expect(text).toContain('/about')
  }
  expect(cookies).toEqual([
    ['for=one', 'b=2'],
    ['for=two', 'b=2'],
    ['for=one', 'b=2'],
  ])
  expect(guard.renderer.asked.length).toBe(1)
  guard.decide = () => next()
  const { headers } = await get('/about')
  expect([headers['set-cookie'], headers['x-portico-cache'], headers['cache-control']]).toEqual([
    undefined,
    'HIT',
    GUARDED,
  ])
})

it('X15 A5 the cookie of a page or handler comes after one of middleware with its name: browsers keep the last', async () => {
  const renewed: [string, string][] = [
    ['set-cookie', 'session=renewed'],
    ['set-cookie', 'b=2'],
  ]
  const { guard, get } = await guardedSite(() => next(renewed))
  guard.respond = (_request, response) =>
    void response.setHeader('set-cookie', ['c=3', 'session=; Max-Age=0']).end('left')
  for (const [path, method] of [
    ['/me', 'GET'],
    ['/me', 'HEAD'],
    ['/api/me', 'POST'],
  ]) {
    const { headers } = await get(path!, { method: method! })
    expect(headers['set-cookie']).toEqual(['session=renewed', 'b=2', 'c=3', 'session=; Max-Age=0'])
  }
})

it('X15 every responder sends the headers of middleware, and permits no shared cache', async () => {
  const { get } = await guardedSite(
    () =>
      next([
        ['set-cookie', 'a=1'],
        ['x-from', 'middleware'],
        ['vary', 'x-b'],
      ]),
    {
      hasCdnTags: true,
      manifest: { ...SITE, headers: [{ source: '/:path*', headers: [{ key: 'x-from', value: 'rule' }] }] },
    },
  )
  for (const [path, status] of [
    ['/about', 200],
    ['/_portico/data/build1/about.json', 200],
    ['/me', 200],
    ['/api/me', 200],
    ['/file.txt', 200],
    ['/nowhere', 200],
  ] as const) {
    const { headers, ...response } = await get(path)
    expect([path, response.status, headers['set-cookie'], headers['x-from']]).toEqual([
      path,
      status,
      ['a=1'],
      'middleware',
    ])
    expect([path, headers['cache-control'], headers['cache-tag']]).toEqual([
      path,
      expect.stringContaining('private'),
      undefined,
    ])
    expect(headers['cdn-cache-control'] ?? 'no-store').not.toContain('public')
    expect(headers.vary).toContain('x-b')
  }
  const refused = await get('/about', { method: 'PUT' })
  expect([refused.status, refused.headers['set-cookie'], refused.headers['cache-control']]).toEqual([
    405,
    ['a=1'],
    'private, no-store',
  ])
})

it('X15 middleware and rules of the site may decide Cache-Control', async () => {
  const { guard, get } = await guardedSite(() => next([['cache-control', 'public, max-age=9']]))
  for (const path of ['/about', '/file.txt', '/me'])
    expect((await get(path)).headers['cache-control']).toBe('public, max-age=9')
  expect((await get('/about', { method: 'PUT' })).headers['cache-control']).toBe('private, no-store')
  guard.decide = () => next()
  guard.respond = (_request, response) =>
    void response
      .setHeader('cache-control', 'public, s-maxage=60, stale-while-revalidate=5, max-age=1')
      .setHeader('cdn-cache-control', 'max-age=60')
      .end('me')
  const { headers } = await get('/me')
  expect([headers['cache-control'], headers['cdn-cache-control']]).toEqual(['private, max-age=1', undefined])
})

it('X15 D2 304 and ranges follow the verdict', async () => {
  const { guard, get } = await guardedSite(() => next())
  const tags = [(await get('/about')).headers.etag!, (await get('/file.txt')).headers.etag!]
  for (const [index, path] of ['/about', '/file.txt'].entries()) {
    const held = await get(path, { headers: { 'if-none-match': tags[index]! } })
    expect([path, held.status, held.headers['cache-control']]).toEqual([path, 304, GUARDED])
  }
  expect((await get('/file.txt', { headers: { range: 'bytes=0-1' } })).text).toBe('fi')
  guard.decide = () => ({ kind: 'response', status: 401, body: '', responseHeaders: [] })
  for (const [index, path] of ['/about', '/file.txt'].entries())
    expect((await get(path, { headers: { 'if-none-match': tags[index]! } })).status).toBe(401)
  expect((await get('/file.txt', { headers: { range: 'bytes=0-1' } })).status).toBe(401)
})

it('X15 request headers of middleware reach pages, handlers and actions; the gateway writes its own', async () => {
  const changes = { set: { 'x-user': 'u', cookie: 'c=2' }, remove: ['x-secret', 'host', 'x-forwarded-for'] }
  const { get, requests } = await guardedSite(() => next([], changes))
  const headers = { 'x-secret': 's', cookie: 'a=1', 'x-user': 'forged' }
  await get('/me', { headers })
  await get('/api/me', { headers })
  await get('/me', { method: 'POST', body: '[]', headers: { ...headers, 'portico-action': 'a1' } })
  for (const { url, headers: sent } of requests()) {
    expect([url, sent['x-user'], sent.cookie, sent['x-secret'], sent['x-forwarded-for']]).toEqual([
      url,
      'u',
      'c=2',
      undefined,
      '127.0.0.1',
    ])
    expect(sent.host).toContain('127.0.0.1')
  }
  expect(requests().map(({ body }) => body)).toEqual(['', '', '[]'])
})

it('X15 W2 a redirect is a Location for documents, and page data for page data', async () => {
  const decide = () => ({
    kind: 'redirect',
    status: 308,
    location: '/docs/log-in?a=1',
    responseHeaders: [['set-cookie', 'a=1']],
  })
  const { get } = await guardedSite(decide, { manifest: { ...SITE, basePath: '/docs' } })
  const document = await get('/docs/about')
  expect([
    document.status,
    document.headers.location,
    document.headers['cache-control'],
    document.headers['set-cookie'],
  ]).toEqual([308, '/docs/log-in?a=1', 'private, no-store', ['a=1']])
  const data = await get('/docs/_portico/data/build1/about.json')
  expect([data.status, JSON.parse(data.text), data.headers['cache-control']]).toEqual([
    200,
    { kind: 'redirect', location: '/log-in?a=1', status: 308 },
    'private, no-store',
  ])
  const nextData = await get('/docs/_next/data/build1/about.json')
  expect([JSON.parse(nextData.text).pageProps, nextData.headers['x-nextjs-redirect']]).toEqual([
    { __N_REDIRECT: '/log-in?a=1', __N_REDIRECT_STATUS: 308 },
    '/docs/log-in?a=1',
  ])
})

it('X15 W2 a redirect in page data has one slash in front', async () => {
  const decide = () => ({ kind: 'redirect', status: 307, location: '/docs//evil.example', responseHeaders: [] })
  const { get } = await guardedSite(decide, { manifest: { ...SITE, basePath: '/docs' } })
  expect(JSON.parse((await get('/docs/_portico/data/build1/about.json')).text).location).toBe('/evil.example')
})

it('X15 G6 a response of middleware has framing and security headers of the gateway', async () => {
  const response = (status: number) => () => ({
    kind: 'response',
    status,
    body: Buffer.from('no').toString('base64'),
    responseHeaders: [
      ['content-type', 'text/plain'],
      ['x-a', 'b'],
    ],
  })
  const { get, guard } = await guardedSite(response(403))
  const shown = ({ status, text, headers }: TestResponse) => [
    status,
    text,
    headers['content-length'],
    headers['cache-control'],
    headers['x-a'],
  ]
  expect(shown(await get('/about'))).toEqual([403, 'no', '2', 'private, no-store', 'b'])
  expect(shown(await get('/about', { method: 'HEAD' }))).toEqual([403, '', '2', 'private, no-store', 'b'])
  expect((await get('/about')).headers).toMatchObject({
    'content-type': 'text/plain',
    'x-content-type-options': 'nosniff',
  })
  guard.decide = response(204)
  expect(shown(await get('/about'))).toEqual([204, '', undefined, 'private, no-store', 'b'])
})

it('X15 R8 notFound() and forbidden() in middleware have the screens of the site', async () => {
  const { get, guard, requests } = await guardedSite(() => ({ kind: 'refused', status: 404, responseHeaders: [] }))
  await get('/about')
  expect(guard.renderer.asked.map(({ pattern }) => pattern)).toEqual(['/404'])
  await get('/_portico/data/build1/about.json')
  expect(requests().at(-1)?.headers['portico-internal-route']).toBe(
    '{"version":"build1.x","guard":"build1","moved":"none"}',
  )
  // A replica of the other build resolves the address itself.
  await get('/_portico/data/other/about.json')
  expect(passedIn(requests().at(-1)?.headers).moved).toBe('none')
  expect((await get('/file.txt')).status).toBe(404)
  const refused = (document?: string) => ({
    kind: 'refused',
    status: 403,
    responseHeaders: [],
    ...(document && { document }),
  })
  guard.decide = () => refused('<p>members only</p>')
  expect((await get('/about')).text).toBe('<p>members only</p>')
  guard.decide = () => refused()
  expect(JSON.parse((await get('/_portico/data/build1/about.json')).text)).toMatchObject({
    error: { status: 403, code: 'access-denied' },
  })
})

it('G8 X15 the connection of a refused request ends if its body has not arrived', async () => {
  const { gateway, guard } = await guardedSite(() => ({ kind: 'response', status: 401, body: '', responseHeaders: [] }))
  const late = openClient(gateway.port, postOf('/about', 100_000, 'x'.repeat(50)))
  await expect.poll(late.statuses).toEqual(['401'])
  await expect.poll(late.isClosed).toBe(true)
  const whole = openClient(gateway.port, postOf('/about', 3, 'abc').repeat(2))
  await expect.poll(whole.statuses).toEqual(['401', '401'])
  expect(whole.isClosed()).toBe(false)
  whole.socket.destroy()
  expect(guard.questions.length).toBe(3)
})
