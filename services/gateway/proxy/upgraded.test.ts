// WebSockets that rewrites lead to another host (X4): which offers are passed on, with which bytes, and what ends them.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ExternalStack, startExternalStack } from '../testing/external-fixture.ts'
import { startGateway } from '../testing/gateway-fixture.ts'
import { connectRaw } from '../testing/raw-client.ts'

let stack: ExternalStack
let offers: IncomingMessage[] = []
let sockets: Socket[] = []
/** What the other host answers to an offer. */
let answer: string
const ACCEPT = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'

beforeAll(async () => {
  stack = await startExternalStack()
  stack.other.server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    offers.push(request)
    sockets.push(socket)
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => socket.write(`echo ${bytes.toString('latin1')}`))
    socket.write(answer)
  })
})
afterAll(() => stack.stop())
beforeEach(() => {
  stack.reset()
  offers = []
  sockets = []
  answer = `${ACCEPT}Sec-WebSocket-Accept: b\r\n\r\n`
})

const offer = (path: string, more = '', upgrade = 'websocket') =>
  `GET ${path} HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n${more}\r\n`

async function open(text: string, port = stack.gateway.port) {
  const client = connectRaw(port)
  client.write(text)
  return { client, response: await client.read('GET') }
}

describe('an offer that a rewrite leads to another host', () => {
  test('X4 G1 is sent with the headers of a request there, and joins both connections', async () => {
    const secrets =
      'Cookie: session=2; other=3\r\nAuthorization: Basic x\r\nPortico-Internal-X: 1\r\nX-Forwarded-For: 6.6.6.6\r\n'
    const { client, response } = await open(offer('/base/out/chat?a=1', `${secrets}Origin: http://site.test\r\n`))
    expect(response?.head.toLowerCase().split('\r\n').sort()).toEqual([
      'connection: upgrade',
      expect.stringMatching(/^date: /),
      'http/1.1 101 switching protocols',
      'sec-websocket-accept: b',
      'upgrade: websocket',
    ])
    client.write('one')
    await expect.poll(client.unread).toBe('echo one')
    expect(offers[0]?.url).toBe('/prefix/chat?from=rule&a=1')
    expect(offers[0]?.headers).toEqual({
      host: stack.host,
      connection: 'Upgrade',
      upgrade: 'websocket',
      cookie: 'session=2',
      origin: 'http://site.test',
      'sec-websocket-key': 'a',
      'sec-websocket-version': '13',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'site.test',
      'cdn-loop': 'portico-build1',
    })
    client.destroy()
    await expect.poll(() => sockets[0]?.destroyed).toBe(true)
    await expect
      .poll(() => stack.gateway.lines.find(({ status }) => status === 101))
      .toMatchObject({ path: '/base/out/chat', route: 'external', by: 'external' })
    expect(stack.gateway.lines.find(({ status }) => status === 101)).not.toHaveProperty('incomplete')
  })

  test('X4 G1 lets no other header of the host in, and only the cookies that the config names', async () => {
    answer = `${ACCEPT}Portico-Internal-Route: x\r\nContent-Length: 3\r\nSec-WebSocket-Protocol: chat\r\nServer: x\r\nSet-Cookie: session=1\r\nSet-Cookie: other=1\r\n\r\nfirst`
    const { client, response } = await open(offer('/base/out/chat'))
    expect(response?.head.toLowerCase()).not.toMatch(/portico|content-length|server|other/)
    expect(response?.head.toLowerCase()).toMatch(/sec-websocket-protocol: chat[\s\S]*set-cookie: session=1/)
    expect(`${response?.body}${client.unread()}`).toBe('first')
    sockets[0]?.end()
    await client.closed()
  })

  test('X4 E7 receives what the host responds instead, and the connection ends', async () => {
    answer = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nX-Their: own\r\nPortico-Internal-Code: x\r\n\r\nno'
    const { client, response } = await open(offer('/base/out/chat'))
    expect(response).toMatchObject({ status: 403, body: 'no' })
    expect(response?.head.toLowerCase()).toMatch(
      /connection: close[\s\S]*x-their: own|x-their: own[\s\S]*connection: close/,
    )
    expect(response?.head.toLowerCase()).not.toContain('portico-internal')
    expect(await client.closed()).toBe('')
  })

  test.each([
    ['another protocol is accepted', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
    ['no HTTP is sent', 'SSH-2.0\r\n\r\n'],
    ['the host ends the connection', ''],
  ])('X4 E7 is a 502 where %s', async (_what, bytes) => {
    answer = bytes
    const client = connectRaw(stack.gateway.port)
    client.write(offer('/base/out/chat'))
    if (bytes === '') await expect.poll(() => sockets[0]?.destroy().destroyed).toBe(true)
    expect((await client.read('GET'))?.status).toBe(502)
    await client.closed()
  })

  test.each(['/base/down/x', '/base/inner/x', '/base/literal/x'])(
    'X4 I4 is a 502 without a connection: %s',
    async (path) => {
      const { response } = await open(offer(path))
      expect([response?.status, offers]).toEqual([502, []])
    },
  )

  test('X4 is refused where it comes back to the gateway', async () => {
    expect((await open(offer('/base/out/x', 'CDN-Loop: portico-build1\r\n'))).response?.status).toBe(502)
    expect(offers).toEqual([])
  })
})

test.each([
  ['another protocol', offer('/base/out/x', '', 'h2c')],
  ['a body', offer('/base/out/x', 'Content-Length: 3\r\n').concat('abc')],
  ['an older version', offer('/base/out/x').replace('HTTP/1.1', 'HTTP/1.0')],
  ['another method', offer('/base/out/x').replace('GET', 'DELETE')],
  ['a page of the site', offer('/base/about')],
])('X4 G8 an offer of %s is a request as any other, the last one of its connection', async (what, text) => {
  const { client, response } = await open(text)
  expect([response?.status, offers]).toEqual([200, []])
  const [sent] = what === 'a page of the site' ? stack.renderer.requests : stack.other.requests
  expect(sent?.headers).not.toHaveProperty('upgrade')
  await client.closed()
})

test('X4 L3 an offer behind a request whose response is still sent is a request as any other', async () => {
  const waiting: (() => void)[] = []
  stack.other.respond = (_request, response) => void waiting.push(() => response.end('late'))
  const client = connectRaw(stack.gateway.port)
  client.write(`GET /base/out/first HTTP/1.1\r\nHost: a\r\n\r\n${offer('/base/out/second')}`)
  await expect.poll(() => waiting.length).toBeGreaterThan(0)
  for (const respond of waiting) respond()
  expect((await client.read('GET'))?.body).toContain('late')
  expect(offers).toEqual([])
  client.destroy()
})

test('X4 O5 upgraded connections of a host have a limit, and end when the gateway stops', async () => {
  const small = await startGateway({
    upstreams: stack,
    manifest: { rewrites: [{ source: '/x', destination: `http://localhost:${stack.other.port}/` }] },
    rewriteInnerHosts: ['localhost'],
    inFlightLimit: 1,
  })
  const first = await open(offer('/x'), small.port)
  expect(first.response?.status).toBe(101)
  expect((await open(offer('/x'), small.port)).response?.status).toBe(503)
  first.client.destroy()
  await expect.poll(async () => (await open(offer('/x'), small.port)).response?.status).toBe(101)
  await small.stop()
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
})
