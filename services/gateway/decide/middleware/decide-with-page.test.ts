// A page that is rendered for each request, and middleware before it, in one exchange: what is sent so, what is not, and
// that no page reaches a client for whom middleware did not let it pass.

import type { ServerResponse } from 'node:http'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { expect, it } from 'vitest'
import { FIRST_BYTE_LIMITS } from '../../routes.ts'
import { ofClients, send, startUpstream } from '../../testing/gateway-fixture.ts'
import {
  type Guard,
  guardedGateway,
  guardedSite,
  guardOf,
  NEXT,
  passedIn,
  SITE,
} from '../../testing/guarded-gateway.ts'
import { openClient } from '../../testing/open-client.ts'
import { stopAfter } from '../../testing/proxy-fixture.ts'

const MARK = 'portico-internal-verdict'
const DATA = '/_portico/data/build1/me.json'
const next = (responseHeaders: [string, string][] = []): MiddlewareVerdict => ({ kind: 'next', responseHeaders })

it('X15 a page for each request is one request inside of the stack, with what middleware set', async () => {
  const { guard, get, requests } = await guardedSite(({ headers }) =>
    next([
      ['set-cookie', `for=${headers.cookie}`],
      ['x-text', '\u00e9\t"'],
    ]),
  )
  for (const [path, as] of [
    ['/me', 'one'],
    [DATA, 'two'],
    ['/_next/data/build1/me.json', 'three'],
  ]) {
    const { status, text, headers } = await get(path!, { headers: { cookie: as! } })
    expect([status, text, headers['set-cookie'], headers['x-text']]).toEqual([
      200,
      'passed',
      [`for=${as}`],
      '\u00e9\t"',
    ])
    expect(headers['cache-control'] ?? 'private').toContain('private')
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/^portico-internal-/)
  }
  expect([guard.withPage, guard.asked()]).toEqual([3, ['/me', '/me', '/me']])
  expect(requests().length).toBe(3)
  expect(JSON.parse(String(requests()[0]?.headers['portico-internal-route']))).toMatchObject({
    page: { pattern: '/me' },
  })
})

it('X15 the verdict is requested first where something else may respond, or may respond to other headers', async () => {
  const has = [{ type: 'header' as const, key: 'x-user' }]
  const manifest = { ...SITE, rewrites: [{ source: '/about', destination: '/me', has }] }
  const { guard, get } = await guardedSite(() => NEXT, { manifest })
  for (const [path, init] of [
    ['/about', {}],
    ['/about', { headers: { 'x-user': 'u' } }],
    ['/me', { method: 'POST' }],
    ['/me', { method: 'HEAD' }],
    [DATA, { method: 'HEAD' }],
    [`/me?${'x'.repeat(4200)}`, {}],
    ['/_portico/data/build2/me.json', {}],
    ['/posts/1', {}],
    ['/nowhere', {}],
    ['/api/me', {}],
    ['/file.txt', {}],
  ] as const) {
    const before = guard.questions.length
    await get(path, init)
    expect([path, guard.questions.length - before, guard.withPage]).toEqual([path, 1, 0])
  }
})

it('X15 the verdict takes the place of the page, and is carried out as that of a question', async () => {
  const { guard, get, requests } = await guardedSite(() => NEXT)
  const verdictOf = (verdict: object) => {
    guard.decide = () => ({ responseHeaders: [['set-cookie', 'a=1']], ...verdict })
  }
  verdictOf({ kind: 'redirect', status: 307, location: '/log-in' })
  const moved = await get('/me')
  expect([moved.status, moved.headers.location, moved.headers['set-cookie']]).toEqual([307, '/log-in', ['a=1']])
  expect(JSON.parse((await get(DATA)).text)).toMatchObject({ kind: 'redirect', location: '/log-in' })
  verdictOf({ kind: 'response', status: 418, body: Buffer.alloc(100_000, 'x').toString('base64') })
  const own = await get('/me')
  expect([own.status, own.text.length]).toEqual([418, 100_000])
  verdictOf({ kind: 'refused', status: 404 })
  await get('/me')
  expect(guard.renderer.asked.at(-1)?.pattern).toBe('/404')
  verdictOf({ kind: 'rewrite', target: '/about' })
  const kept = await get('/me')
  expect([kept.text.includes('/about'), kept.headers['set-cookie']]).toEqual([true, ['a=1']])
  expect(requests()).toEqual([])
  const client = { 'x-forwarded-for': '9.9.9.9', cookie: 'b=1' }
  const set = { requestHeaders: { set: { 'x-user': 'u' }, remove: ['cookie'] } }
  verdictOf({ kind: 'rewrite', target: '/me?x=1', ...set })
  expect((await get('/me', { headers: client })).text).toBe('passed')
  verdictOf({ kind: 'next', responseHeaders: [['x-long', 'x'.repeat(5000)]], ...set })
  expect((await get('/me', { headers: client })).headers['x-long']).toHaveLength(5000)
  expect(guard.withPage).toBe(guard.questions.length)
  for (const { headers } of requests())
    expect([headers['x-user'], headers.cookie, headers['x-forwarded-for'], passedIn(headers).question]).toEqual([
      'u',
      undefined,
      '127.0.0.1',
      undefined,
    ])
  expect(requests().map(({ headers }) => passedIn(headers).moved)).toEqual(['/me?x=1', undefined])
  verdictOf({ kind: 'next' })
  expect((await get('/me')).text).toBe('passed')
})

it('X15 C2 O4 the log and X-Portico-Cache name what responded, and no request runs at the replica afterwards', async () => {
  const { guard, get, gateway } = await guardedSite(() => ({ kind: 'rewrite', target: '/about', responseHeaders: [] }))
  const renderers = gateway.replicas.of('renderer')
  const running = () => renderers.list().reduce((sum, { inFlight }) => sum + inFlight, 0)
  const shown = async () => (await get('/me', { headers: { connection: 'close' } })).headers['x-portico-cache']
  expect([await shown(), await shown()]).toEqual(['MISS', 'HIT'])
  for (const verdict of [
    { kind: 'redirect', status: 307, location: '/a' },
    { kind: 'rewrite', target: '/me?x=1' },
    NEXT,
  ]) {
    guard.decide = () => ({ responseHeaders: [], ...verdict })
    expect(await shown()).toBeUndefined()
  }
  guard.decide = (_question, response) => secret(response)
  await shown()
  const responders = () => gateway.lines.flatMap(({ path, by }) => (path === '/me' ? [by] : []))
  await expect.poll(responders).toEqual(['renderer', 'cache', 'gateway', 'renderer', 'renderer', 'gateway'])
  await expect.poll(running).toBe(0)
})

it('X15 G8 a body of a GET stays unread, and the connection is that of the next request', async () => {
  const { guard, gateway, requests } = await guardedSite(() => NEXT)
  const client = openClient(
    gateway.port,
    'GET /me HTTP/1.1\r\nHost: a\r\nContent-Length: 23\r\n\r\nGET /in-body HTTP/1.1\r\n',
  )
  await expect.poll(client.received).toContain('passed')
  guard.decide = () => ({ kind: 'redirect', status: 307, location: '/a', responseHeaders: [] })
  client.socket.write('GET /me?second HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n')
  await expect.poll(client.received).toContain('location: /a')
  client.socket.destroy()
  expect(requests().map(({ url }) => url)).toEqual(['/me'])
  expect(guard.asked()).toEqual(['/me', '/me?second'])
  for (const { headers } of guard.questions) expect(headers).not.toHaveProperty('content-length')
})

const secret = (response: ServerResponse, headers: Record<string, string | string[]> = {}, status = 200) =>
  void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('secret')
const sendAs = (response: ServerResponse, json: string, headers = {}) =>
  void response.writeHead(200, { [MARK]: 'body', 'content-length': Buffer.byteLength(json), ...headers }).end(json)

it.each<[string, (response: ServerResponse) => void]>([
  ['no mark', (response) => secret(response)],
  ['a mark of another kind', (response) => secret(response, { [MARK]: 'next' })],
  ['two marks', (response) => secret(response, { [MARK]: [JSON.stringify(NEXT), JSON.stringify(NEXT)] })],
  [
    'the mark of a verdict that is not next',
    (response) => secret(response, { [MARK]: '{"kind":"rewrite","target":"/about","responseHeaders":[]}' }),
  ],
  ['a header that is not permitted', (response) => secret(response, { [MARK]: next9('content-length') })],
  ['an internal header', (response) => secret(response, { [MARK]: next9('portico-internal-route') })],
  ['an error', (response) => secret(response, { 'portico-internal-digest': 'abcdef0123' }, 500)],
  ['a redirect', (response) => secret(response, { location: '/x' }, 307)],
  ['304', (response) => void response.writeHead(304).end()],
  ['a verdict that is no JSON', (response) => sendAs(response, 'secret')],
  ['a verdict of another kind', (response) => sendAs(response, '{"kind":"pass","responseHeaders":[]}')],
  ['a verdict of another status', (response) => void response.writeHead(203, { [MARK]: 'body' }).end('{}')],
  ['a verdict that is too long', (response) => sendAs(response, ' '.repeat(3_000_000) + JSON.stringify(NEXT))],
  ['a verdict without a length', (response) => void response.writeHead(200, { [MARK]: 'body' }).end(`${NEXT}`)],
])('X15 a response with %s is 503, and nothing of it reaches the client', async (_what, respond) => {
  const { guard, get, gateway } = await guardedSite((_question, response) => respond(response))
  for (const path of ['/me', DATA]) {
    const { status, text, headers } = await get(path, { headers: { 'if-none-match': '"a"' } })
    expect([path, status, headers['retry-after'], headers['cache-control']]).toEqual([
      path,
      503,
      '1',
      'private, no-store',
    ])
    expect(text).not.toContain('secret')
    expect(headers.location).toBeUndefined()
  }
  expect(guard.withPage).toBe(2)
  expect(
    gateway.lines.filter(({ event, fault }) => event === 'middleware' && /unfit|too-large/.test(String(fault))).length,
  ).toBe(2)
  expect(gateway.lines.some(({ digest }) => digest === 'abcdef0123')).toBe(_what === 'an error')
  guard.decide = () => NEXT
  expect((await get('/me')).text).toBe('passed')
})

function next9(name: string): string {
  return JSON.stringify({ kind: 'next', responseHeaders: [[name, '9']] })
}

it('X15 half of a verdict never lets pass', async () => {
  const { guard, get } = await guardedSite(
    (_question, response) =>
      void response.writeHead(200, { [MARK]: 'body', 'content-length': 99 }).write('{', () => response.destroy()),
  )
  await expect(get('/me')).rejects.toThrow()
  guard.decide = () => NEXT
  expect((await get('/me')).text).toBe('passed')
})

/** A gateway with a second renderer, which records what it receives. */
async function withOther(guard: Guard, version: string | undefined) {
  const { upstream } = guard.renderer
  const other = await startUpstream('other', { host: '127.0.0.2', port: upstream.port, version })
  stopAfter(other)
  other.respond = (_request, response) => secret(response, { [MARK]: JSON.stringify(NEXT) })
  const lookup = async () => ['127.0.0.1', '127.0.0.2']
  const gateway = await guardedGateway(guard, { manifest: SITE, replicaOptions: { lookup }, firstReadyMs: 100 })
  return { other, gateway, get: (path: string) => send(gateway.port, path) }
}

it.each(['build2.x', undefined])(
  'X15 G3 a renderer of the version %s receives no page with a question',
  async (version) => {
    const guard = await guardOf()
    const { other, get } = await withOther(guard, version)
    for (let count = 0; count < 12; count++) expect((await get(count % 2 ? '/me' : DATA)).text).toBe('passed')
    guard.decide = (_question, response) => void response.destroy()
    expect([502, 503]).toContain((await get('/me')).status)
    await guard.renderer.upstream.stop()
    for (const path of ['/me', DATA]) {
      const { status, text } = await get(path)
      expect([502, 503]).toContain(status)
      expect(text).not.toContain('secret')
    }
    expect(ofClients(other)).toEqual([])
  },
)

it('X15 G3 what middleware has let pass is a page of the build, and page data of another build comes with the build', async () => {
  const guard = await guardOf()
  const { other, get, gateway } = await withOther(guard, 'build2.x')
  other.respond = (_request, response) => void response.writeHead(404).end('{"kind":"foreign-build"}')
  guard.decide = () => next([['x-long', 'x'.repeat(5000)]])
  for (let count = 0; count < 8; count++) {
    expect((await get('/me')).text).toBe('passed')
    expect((await send(gateway.port, '/me', { method: 'HEAD' })).status).toBe(200)
  }
  expect(ofClients(other)).toEqual([])
  expect((await get('/_portico/data/build2/me.json')).status).toBe(404)
  const passed = [...ofClients(other), ...guard.renderer.upstream.requests.filter(({ url }) => url === '/me')]
  expect(passed.length).toBe(17)
  for (const { headers } of passed) expect(passedIn(headers).guard).toBe('build1')
})

it('X15 E7 a page with a question is sent to one more renderer of the build', async () => {
  const guard = await guardOf()
  const { other, get } = await withOther(guard, 'build1.x')
  other.respond = (_request, response) => void response.destroy()
  for (let count = 0; count < 9; count++) expect((await get('/me')).text).toBe('passed')
  expect(other.requests.length).toBeGreaterThan(0)
})

it('X15 D2 a page that was let pass is streamed, and 304 has the cookies of middleware', async () => {
  const { guard, get, gateway } = await guardedSite(() => next([['set-cookie', 'a=1']]))
  let end = () => {}
  guard.respond = (request, response) => {
    if (request.headers['if-none-match']) return void response.writeHead(304, { etag: '"t"' }).end()
    response.setHeader('content-type', 'text/html').write('first')
    end = () => void response.end('last')
  }
  const client = openClient(gateway.port, 'GET /me HTTP/1.1\r\nHost: a\r\n\r\n')
  await expect.poll(client.received).toContain('first')
  expect(client.received()).toContain('set-cookie: a=1')
  end()
  await expect.poll(client.received).toContain('last')
  client.socket.destroy()
  const { status, headers } = await get('/me', { headers: { 'if-none-match': '"t"' } })
  expect([status, headers['set-cookie'], headers.etag]).toEqual([304, ['a=1'], '"t"'])
})

it('X15 E7 without a renderer the response is 503 after the wait for the first one', async () => {
  const { guard, get } = await guardedSite(() => NEXT, { firstReadyMs: 100 })
  guard.renderer.upstream.isReady = false
  await guard.renderer.upstream.stop()
  const { status, headers } = await get('/me')
  expect([502, 503]).toContain(status)
  expect(headers['retry-after']).toBe('1')
})

it('X15 E7 the first byte of a page with a question has the time of middleware and of the page', async () => {
  const { guard, get } = await guardedSite(() => NEXT, { limits: { ...FIRST_BYTE_LIMITS, pageMs: 200 } })
  guard.respond = (_request, response) => void setTimeout(() => response.end('late'), 600)
  expect((await get('/me')).text).toBe('late')
  // The verdict for HEAD is requested first, and has its own time.
  expect((await get('/me', { method: 'HEAD' })).status).toBe(504)
})
