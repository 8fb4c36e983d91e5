// Without a verdict nothing passes: renderers that are away, slow, of another build, or that respond with something else.

import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { VERSION } from '../../pages/testing/cached-gateway.ts'
import { send, startUpstream, type TestResponse } from '../../testing/gateway-fixture.ts'
import { type Decide, guardedGateway, guardOf, NEXT } from '../../testing/guarded-gateway.ts'
import { openClient, postOf } from '../../testing/open-client.ts'

async function setUp(decide: Decide, options: Parameters<typeof guardedGateway>[1] = {}) {
  const guard = await guardOf()
  guard.decide = decide
  const files = { 'public/file.txt': 'file' }
  const gateway = await guardedGateway(guard, { files, askTimeoutMs: 60_000, ...options })
  const get = (path: string, init: Parameters<typeof send>[2] = {}) => send(gateway.port, path, init)
  return { guard, gateway, get }
}

const shown = ({ status, headers }: TestResponse) => [status, headers['retry-after'], headers['cache-control']]
const UNAVAILABLE = [503, '1', 'private, no-store']

const sendText = (response: ServerResponse, status: number, text: string) =>
  void response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text)

it.each<[string, Decide]>([
  ['no JSON', (_question, response) => sendText(response, 200, 'next')],
  ['an empty body', (_question, response) => sendText(response, 200, '')],
  ['another kind', () => ({ kind: 'pass', responseHeaders: [] })],
  ['a header with a line end', () => ({ kind: 'next', responseHeaders: [['x-a', 'b\nc']] })],
  ['framing', () => ({ kind: 'next', responseHeaders: [['content-length', '9']] })],
  ['a forwarded header', () => ({ ...NEXT, requestHeaders: { set: { 'x-forwarded-for': '::1' }, remove: [] } })],
  ['an internal header', () => ({ ...NEXT, requestHeaders: { set: { 'portico-internal-route': '/' }, remove: [] } })],
  ['another status', (_question, response) => sendText(response, 204, '')],
  ['an error', (_question, response) => sendText(response, 500, JSON.stringify(NEXT))],
  ['a connection that breaks off', (_question, response) => void response.destroy()],
  [
    'half of a body',
    (_question, response) =>
      void response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
  ],
  ['no response', () => undefined],
])('X15 a verdict of %s is 503 for pages, data, files, handlers and actions', async (what, decide) => {
  const { get, gateway } = await setUp(decide, what === 'no response' ? { askTimeoutMs: 200 } : {})
  for (const path of ['/about', '/_portico/data/build1/about.json', '/file.txt'])
    expect([path, ...shown(await get(path))]).toEqual([path, ...UNAVAILABLE])
  expect(shown(await get('/api/x', { method: 'POST', body: 'x' }))).toEqual(UNAVAILABLE)
  expect(gateway.lines.filter(({ event }) => event === 'middleware').length).toBeGreaterThan(0)
})

it('X15 E4 the digest of an error in middleware is on the screen and in the access line', async () => {
  const { get, gateway } = await setUp((_question, response) => {
    response.setHeader('portico-internal-digest', 'abcdef0123')
    sendText(response, 500, '')
  })
  expect((await get('/about')).text).toContain('abcdef0123')
  await expect
    .poll(() => gateway.lines.find(({ digest }) => digest === 'abcdef0123'))
    .toMatchObject({ code: 'middleware-failed' })
})

it('X15 a renderer of another build, or of none, receives no question', async () => {
  for (const version of ['build2.x', undefined]) {
    const guard = await guardOf({ version })
    const gateway = await guardedGateway(guard)
    expect([version, ...shown(await send(gateway.port, '/about'))]).toEqual([version, ...UNAVAILABLE])
    expect(guard.questions).toEqual([])
  }
})

it('X15 without a renderer the response waits for the first one, then is 503', async () => {
  const guard = await guardOf()
  const { upstream } = guard.renderer
  upstream.isReady = false
  const gateway = await guardedGateway(guard, { readyWaitMs: 1500 })
  const waiting = send(gateway.port, '/about')
  setTimeout(() => {
    upstream.isReady = true
  }, 50)
  expect((await waiting).status).toBe(200)
  await upstream.stop()
  expect(shown(await send(gateway.port, '/about'))).toEqual(UNAVAILABLE)
})

it('X15 E7 a question of a read is sent to one more renderer, one of a write is not', async () => {
  const guard = await guardOf()
  const { upstream } = guard.renderer
  const other = await startUpstream('other', { host: '127.0.0.2', port: upstream.port, version: 'build1.x' })
  other.respond = (_request, response) => void response.destroy()
  const lookup = async () => ['127.0.0.1', '127.0.0.2']
  const files = { 'public/file.txt': 'file' }
  const gateway = await guardedGateway(guard, { files, replicaOptions: { lookup } })
  for (let count = 0; count < 9; count++) expect((await send(gateway.port, '/file.txt')).status).toBe(200)
  const post = async () => (await send(gateway.port, '/api/x', { method: 'POST' })).status
  await expect.poll(post, { interval: 5 }).toBe(503)
  await other.stop()
})

it('X15 G2 a question of a read waits for the only renderer to start again', async () => {
  const guard = await guardOf()
  const { upstream } = guard.renderer
  const gateway = await guardedGateway(guard, { files: { 'public/file.txt': 'file' }, readyWaitMs: 5000 })
  guard.decide = (_question, response) => {
    response.destroy()
    void upstream.stop().then(() => setTimeout(() => void guardOf({ port: upstream.port }), 200))
  }
  expect((await send(gateway.port, '/file.txt')).text).toBe('file')
  expect(guard.questions).toHaveLength(1)
})

it('X15 G2 a question waits no longer in all for a renderer that refuses what its probe reports as ready', async () => {
  const guard = await guardOf()
  const probe = async () => ({ result: 'ready' as const, version: VERSION })
  const options = { files: { 'public/file.txt': 'file' }, replicaOptions: { probe }, readyWaitMs: 500 }
  const gateway = await guardedGateway(guard, options)
  await guard.renderer.upstream.stop()
  expect((await send(gateway.port, '/file.txt')).status).toBe(503)
  const repeated = gateway.lines.filter(({ msg }) => msg === 'verdict of middleware requested again')
  expect(repeated.length).toBeGreaterThan(1)
  expect(repeated.length).toBeLessThan(8)
})

it('X15 the question ends when the client disconnects', async () => {
  let closed = false
  const { gateway, guard } = await setUp((_question, response) => {
    response.once('close', () => {
      closed = true
    })
  })
  const client = openClient(gateway.port, 'GET /about HTTP/1.1\r\nHost: a\r\n\r\n')
  await expect.poll(() => guard.questions.length).toBe(1)
  client.socket.destroy()
  await expect.poll(() => closed).toBe(true)
})

it('A7 X15 a body waits for the verdict, counts as waiting, and is passed on whole', async () => {
  const verdicts: (() => void)[] = []
  const json = JSON.stringify(NEXT)
  const { gateway, guard } = await setUp(
    (_question, response) =>
      void verdicts.push(() => void response.writeHead(200, { 'content-length': json.length }).end(json)),
    { waitingBodiesBytes: 150_000 },
  )
  const { upstream } = guard.renderer
  const [first, rest] = ['x'.repeat(90_000), 'y'.repeat(10_000)]
  const open = (address: string) => openClient(gateway.port, postOf('/api/x', 100_000, first), address)
  const client = open('127.0.0.1')
  await expect.poll(() => verdicts.length).toBe(1)
  expect(guard.questions[0]!.headers['content-length']).toBeUndefined()
  const others = [open('127.0.0.2'), open('127.0.0.2')]
  await expect.poll(() => others.filter(({ statuses }) => statuses()[0] === '503').length).toBe(1)
  await expect.poll(() => others.filter(({ isClosed }) => isClosed()).length).toBe(1)
  verdicts[0]!()
  client.socket.write(rest)
  await expect.poll(() => upstream.requests.find(({ url }) => url === '/api/x')?.body).toBe(first + rest)
  for (const { socket } of [client, ...others]) socket.destroy()
})
