// The development socket: which offers to upgrade are sent to the renderer, and with which bytes.

import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { gatewayOf, stopAfter } from '../testing/proxy-fixture.ts'
import { connectRaw } from '../testing/raw-client.ts'

async function startSocketServer() {
  const heads: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const head = bytes.toString('latin1')
      if (head.startsWith('GET /readyz')) return socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      heads.push(head)
      return socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = () => new Promise<void>((done) => server.close(() => done()))
  // A TCP server that listens has an AddressInfo.
  return stopAfter({ heads, stop, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) })
}

const SOCKET = 'GET /_portico/dev HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n'

async function offer(text: string) {
  const renderer = await startSocketServer()
  const gateway = await gatewayOf({ upstreams: { renderer: renderer.url }, devMode: true })
  const client = connectRaw(gateway.port)
  client.write(text)
  return { all: await client.closed(), heads: renderer.heads }
}

test('G8 V2 passes an offer of the development socket on, with a Connection header of the gateway', async () => {
  const { all, heads } = await offer(
    `${SOCKET}Connection: keep-alive, Upgrade, x-absent\r\nX-Request-Id: forged\r\n\r\n`,
  )
  expect(all).toMatch(/^HTTP\/1\.1 101 /)
  expect(heads).toHaveLength(1)
  expect(heads[0]!.toLowerCase().split('\r\n').sort()).toEqual([
    '',
    '',
    'connection: upgrade',
    'get /_portico/dev http/1.1',
    'host: a',
    'sec-websocket-key: a',
    'upgrade: websocket',
  ])
})

test.each([
  ['names a header that is there', `${SOCKET}Connection: Upgrade, sec-websocket-key\r\n\r\n`],
  ['names framing', `${SOCKET}Connection: Upgrade, content-length\r\n\r\n`],
  ['has a body of a length', `${SOCKET}Connection: Upgrade\r\nContent-Length: 3\r\n\r\nabc`],
  ['has a body in chunks', `${SOCKET}Connection: Upgrade\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['has two hosts', `${SOCKET}Connection: Upgrade\r\nHost: b\r\n\r\n`],
  ['leads elsewhere', `${SOCKET.replace('/_portico/dev', '/api/x')}Connection: Upgrade\r\n\r\n`],
])('G8 refuses an offer that %s', async (_name, text) => {
  const { all, heads } = await offer(text)
  expect(all).toMatch(/^HTTP\/1\.1 400 /)
  expect(heads).toEqual([])
})
