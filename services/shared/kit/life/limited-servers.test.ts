import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAX_HEAD_BYTES } from '../../wire/constants.ts'
import { createLimitedServers, type LimitedServers, type PublicClients } from './limited-servers.ts'

let limited: LimitedServers
let server: Server
let reasons: string[] = []
const sockets: Socket[] = []

beforeEach(() => {
  // Only the sweep and its clock are faked; sockets are real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  reasons = []
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  limited.close()
  server.closeAllConnections()
  server.close()
  vi.useRealTimers()
})

async function listen(handler: RequestListener, clients?: PublicClients): Promise<number> {
  limited = createLimitedServers({
    refusals: { note: (listener, reason) => reasons.push(`${listener} ${reason}`), report() {} },
  })
  server = limited.create({ name: 'inner', options: {}, handler, clients })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server that listens has an AddressInfo.
  return (server.address() as AddressInfo).port
}

function open(port: number, text: string) {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  sockets.push(socket)
  const client = { socket, received: '', isClosed: false }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    client.received += chunk.toString('latin1')
  })
  socket.on('close', () => {
    client.isClosed = true
  })
  return client
}

/** Lets sockets process their events. */
const settle = () => new Promise((done) => setTimeout(done, 30))

/** Advances the clock by seconds, with a sweep after each; `each` runs before each second. */
async function pass(seconds: number, each: (second: number) => void = () => {}) {
  await settle()
  for (let second = 1; second <= seconds; second++) {
    each(second)
    await settle()
    vi.advanceTimersByTime(1000)
    await new Promise((done) => setImmediate(done))
  }
  await settle()
}

const collect: RequestListener = async (request, response) => {
  let received = 0
  for await (const chunk of request as AsyncIterable<Buffer>) received += chunk.length
  response.end(`received ${received}`)
}
const post = (framing: string) => `POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`

describe('every server of a service', () => {
  it('G8 limits a head to 10 s, and the rest by the limits of bodies', async () => {
    await listen(collect)
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 0])
  })

  it.each([
    ['declared', 'Content-Length: 10', 'half'],
    ['chunked', 'Transfer-Encoding: chunked', '4\r\nhalf\r\n'],
  ])('A7 G8 refuses a %s body that stops with 408 and closes', async (_name, framing, half) => {
    const port = await listen(collect)
    const client = open(port, post(framing) + half)
    await pass(14)
    expect(client.received).toBe('')
    await pass(2)
    expect(client.received).toMatch(/^HTTP\/1\.1 408 .*\r\nconnection: close/is)
    await expect.poll(() => client.isClosed).toBe(true)
    expect(reasons).toEqual(['inner body-idle'])
  })

  it('A7 G8 counts payload: neither chunk sizes nor extensions are progress', async () => {
    const port = await listen(collect)
    const client = open(port, post('Transfer-Encoding: chunked'))
    // SECURITY: in bytes above the minimum rate, but a byte of payload in 9 s.
    await pass(40, (second) => {
      if (client.isClosed) return
      client.socket.write(second % 9 === 0 ? `${'0'.repeat(500)}1;e\r\nx\r\n` : '')
    })
    expect(reasons).toEqual(['inner body-slow'])
    const framing = open(port, post('Transfer-Encoding: chunked'))
    await pass(20, () => framing.isClosed || framing.socket.write('0'.repeat(3000)))
    expect(reasons).toEqual(['inner body-slow', 'inner body-idle'])
  })

  it('A7 G8 accepts a slow body that keeps the minimum rate', async () => {
    const port = await listen(collect)
    const client = open(port, post('Content-Length: 61440'))
    await pass(40, () => client.socket.write('x'.repeat(1536)))
    await expect.poll(() => client.received).toContain('received 61440')
    expect(reasons).toEqual([])
  })

  it('A7 G8 closes a connection whose body continues after the response', async () => {
    const port = await listen((_request, response) => void response.end('early'))
    const client = open(port, post('Content-Length: 10000000'))
    await pass(20, () => client.isClosed || client.socket.write('x'.repeat(5000)))
    expect(client.received).toContain('early')
    expect(client.isClosed).toBe(true)
    expect(reasons).toEqual(['inner body-after-response'])
  })

  it('A7 G8 refuses no body because the service reads late', async () => {
    let read = () => {}
    const port = await listen((request, response) => {
      read = () => void collect(request, response)
    })
    const client = open(port, post('Content-Length: 100') + 'x'.repeat(60))
    await pass(50)
    read()
    await pass(5)
    client.socket.write('x'.repeat(40))
    await expect.poll(() => client.received).toContain('received 100')
    expect(reasons).toEqual([])
  })
})

it('L3 runs no request of a client that is gone, though the parser has read the request', async () => {
  const urls: (string | undefined)[] = []
  const port = await listen((request) => {
    urls.push(request.url)
    if (request.url === '/2') request.socket.destroy()
  })
  const client = open(port, ['/1', '/2', '/3', '/4'].map((url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  await expect.poll(() => client.isClosed).toBe(true)
  expect(urls).toEqual(['/1', '/2'])
})

describe('the head of a request', () => {
  const headOf = (bytes: number) => {
    const start = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: '
    return `${start}${'x'.repeat(bytes - start.length - 4)}\r\n\r\n`
  }
  const clients: PublicClients = { maxConnectionsPerAddress: 10, isTrusted: () => false, refuseBody: () => {} }

  it('W9 may be longer behind the gateway than from a client, by what the gateway adds', async () => {
    const statusOf = async (port: number, bytes: number) => {
      const client = open(port, headOf(bytes))
      await once(client.socket, 'close')
      return client.received.slice(9, 12)
    }
    const ok: RequestListener = (_request, response) => response.end('ok')
    const published = await listen(ok, clients)
    expect([await statusOf(published, MAX_HEAD_BYTES - 1), await statusOf(published, MAX_HEAD_BYTES + 1000)]).toEqual([
      '200',
      '431',
    ])
    server.close()
    limited.close()
    expect(await statusOf(await listen(ok), MAX_HEAD_BYTES + 4096)).toBe('200')
  })
})
