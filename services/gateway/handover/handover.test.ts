// A gateway of build1 with replicas of build2 only (O12, X15): middleware, rules and files are those of build2.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { BUILD_PATH, INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { expect, it } from 'vitest'
import { MANIFEST } from '../pages/testing/cached-gateway.ts'
import { ofClients, send, TOKEN } from '../testing/gateway-fixture.ts'
import { type Decide, guardedGateway, guardOf, NEXT, passedIn, SITE } from '../testing/guarded-gateway.ts'

const REFUSED = { kind: 'refused', status: 401, responseHeaders: [] } as const
const FILES = {
  'public/file.txt': 'of build1',
  'public/same.txt': 'the same',
  'client/static/app-1.js': 'script of build1',
}

interface GapOptions {
  /** What differs in build2. */
  other?: Partial<Manifest>
  decide?: Decide
  matchers?: { source: string }[]
}

/** `sent`: what the services of build2 received but questions. */
async function gap({ other = {}, decide = () => NEXT, ...options }: GapOptions = {}) {
  const guard = await guardOf({ version: 'build2.x' })
  guard.decide = decide
  const rest = guard.respond
  let manifest: unknown
  const state = { requested: 0 }
  guard.respond = (request, response, body) => {
    if (request.url !== BUILD_PATH) return rest(request, response, body)
    state.requested++
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end()
    // As a renderer that is busy: the gateway requests the manifest again.
    if (manifest === undefined) return void response.writeHead(503).end()
    response.end(JSON.stringify(manifest))
  }
  const gateway = await guardedGateway(guard, {
    manifest: SITE,
    files: FILES,
    ...options,
  })
  const own = gateway.build.manifest
  const publicFiles = { ...own.publicFiles, '/file.txt': { ...own.publicFiles['/file.txt']!, etag: '"of-build2"' } }
  manifest = { ...own, buildId: 'build2', publicFiles, ...other }
  return {
    guard,
    gateway,
    state,
    get: (path: string, init: Parameters<typeof send>[2] = {}) => send(gateway.port, path, init),
    sent: () => ofClients(guard.renderer.upstream),
  }
}

it('O12 in the gap verdict, page and handler are of the newer build, whose matchers decide what is asked', async () => {
  const middleware = { matchers: [{ source: '/me' }, { source: '/api/:path*' }] }
  const { guard, get, sent } = await gap({ other: { middleware } })
  expect((await get('/about')).status).toBe(200)
  expect(guard.questions).toEqual([])
  expect((await get('/me')).status).toBe(200)
  expect((await get('/api/me')).status).toBe(200)
  expect((await get('/api/me', { method: 'POST', body: 'x' })).status).toBe(200)
  expect(guard.questions.map(({ build, url }) => [build, url])).toEqual([
    ['build2', '/me'],
    ['build2', '/api/me'],
    ['build2', '/api/me'],
  ])
  const guards = sent().map(({ url, headers }) => [url, passedIn(headers).guard])
  expect(guards).toEqual([
    ['/about', 'build2'],
    // The question is in the request for the page.
    ['/me', undefined],
    ['/api/me', 'build2'],
    ['/api/me', 'build2'],
  ])
})

it('O12 in the gap redirects, rewrites and pages are of the newer build', async () => {
  const redirects = [{ source: '/old', destination: '/me', status: 308 }]
  const pages = [...MANIFEST.pages!, { ...MANIFEST.pages![0]!, pattern: '/added' }]
  const { get, sent } = await gap({ other: { redirects, pages } as Partial<Manifest> })
  const moved = await get('/old')
  expect([moved.status, moved.headers.location]).toEqual([308, '/me'])
  expect((await get('/added')).status).toBe(200)
  expect(sent().map(({ url, headers }) => [url, headers[INTERNAL_HEADERS.route] !== undefined])).toEqual([
    ['/added', true],
  ])
})

it('O12 in the gap public files are those of the newer build, and hashed files are sent as always', async () => {
  const { get } = await gap()
  const file = await get('/file.txt')
  // No gateway of build2 has published it, and the own file only has the same name.
  expect([file.status, file.headers['retry-after'], file.text.includes('of build1')]).toEqual([503, '1', false])
  expect((await get('/same.txt')).text).toBe('the same')
  expect((await get('/_portico/static/app-1.js')).text).toBe('script of build1')
})

it.each([
  '/secret',
  '/%73ecret',
  '/secret?x=1',
  '/secret/',
  '//secret',
  '/./secret',
  '/_portico/data/build1/secret.json',
  '/_portico/data/build2/secret.json',
  '/_portico/data/build2/%73ecret.json',
  '/_next/data/build2/secret.json',
  '/api/secret',
  '/api/%73ecret',
  '/_portico/image?url=%2Fsecret%2Fa.png&w=640&q=75',
  '/secret.txt',
])('X15 O12 in the gap no spelling leads around the middleware of the newer build: %s', async (path) => {
  const decide: Decide = ({ url }) => (/^\/(?:api\/)?secret/.test(url) ? REFUSED : NEXT)
  // The old build guards nothing there.
  const { get, sent } = await gap({
    decide,
    matchers: [{ source: '/other' }],
    other: { middleware: { matchers: [{ source: '/:path*' }] } },
  })
  for (const method of ['GET', 'HEAD', 'POST']) {
    const { status } = await get(path, { method })
    expect([308, 400, 401, 405].includes(status), `${method} ${status}`).toBe(true)
  }
  expect(sent()).toEqual([])
})

it('O12 X15 a site that gets its first middleware is served after it, too', async () => {
  const { get } = await gap({
    matchers: [],
    decide: () => REFUSED,
    other: { middleware: { matchers: [{ source: '/about' }] } },
  })
  expect([(await get('/about')).status, (await get('/posts/1')).status]).toEqual([401, 200])
})

it('O12 E7 without the rules of the newer build nothing passes, and the log says why', async () => {
  const { gateway, get, sent } = await gap({ other: { version: '99.0.0' } })
  expect((await get('/about')).status).toBe(503)
  expect(sent()).toEqual([])
  const refusal = () => gateway.lines.find(({ event, error }) => event === 'other-build' && error !== undefined)
  await expect.poll(refusal).toMatchObject({ build: 'build2', error: { message: expect.stringContaining('99.0.0') } })
})
