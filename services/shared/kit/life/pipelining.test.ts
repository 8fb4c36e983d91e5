import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { handleExpectations } from '../http/expectations.ts'
import { limitPipelining } from './pipelining.ts'

const MOST = 16
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

interface Seen {
  port: number
  /** Method, path and length of the body of each request that was begun. */
  requests: string[]
  server: Server
}

async function listen(handler?: RequestListener, isCut = true): Promise<Seen> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const at = requests.push(`${request.method} ${request.url}`) - 1
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => {
      requests[at] += ` ${received}`
      if (!handler) response.end(`of ${request.url};`)
    })
    handler?.(request, response)
  })
  if (isCut) limitPipelining(server, MOST)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, requests, server }
}

/** Sends the pieces, each in a packet of its own, and resolves with everything that comes until the connection ends. */
async function exchange(port: number, pieces: readonly (string | Buffer)[], isEnded = true): Promise<string> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  for (const piece of pieces) {
    await new Promise((done) => socket.write(piece, done))
    await new Promise((done) => setImmediate(done))
  }
  if (isEnded) socket.end()
  await once(socket, 'close')
  return received
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`
const bodiesOf = (text: string) => [...text.matchAll(/of (\/\w*);/g)].map(([, path]) => path)
const numbered = (count: number) => Array.from({ length: count }, (_, at) => get(`/${at}`)).join('')

describe('what a client pipelines', () => {
  it('L3 is responded to up to the limit, the last response says close, and the rest is not run', async () => {
    const { port, requests } = await listen()
    const received = await exchange(port, [numbered(3000)], false)
    expect(bodiesOf(received)).toEqual(Array.from({ length: MOST }, (_, at) => `/${at}`))
    expect(received.match(/connection: close/gi)).toHaveLength(1)
    expect(received.lastIndexOf('HTTP/1.1')).toBeLessThan(received.search(/connection: close/i))
    expect(requests).toHaveLength(MOST)
  })

  it('L3 counts requests that wait, not those of the connection: a client that waits for its responses goes on', async () => {
    const { port, requests } = await listen()
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString()
    })
    for (let round = 1; round <= 10; round++) {
      socket.write(numbered(MOST - 1))
      await expect.poll(() => bodiesOf(received).length).toBe(round * (MOST - 1))
    }
    expect(requests).toHaveLength(150)
    expect(received).not.toMatch(/connection: close/i)
    socket.destroy()
  })

  it('L3 responses that are larger than what node:http holds back are no more than others', async () => {
    const { port, requests } = await listen((request, response) =>
      request.on('end', () => response.end(`of ${request.url};${'x'.repeat(100_000)}`)),
    )
    expect(bodiesOf(await exchange(port, [numbered(3000)], false))).toHaveLength(MOST)
    expect(requests).toHaveLength(MOST)
  })

  it('L3 a request over the limit is not run either when it comes later, and the body of the last one arrives whole', async () => {
    let end = () => {}
    const { port, requests } = await listen((request, response) => {
      if (request.url === '/0') end = () => response.end('of /0;')
      else request.on('end', () => response.end(`of ${request.url};`))
    })
    const post = 'POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n'
    const coming = exchange(port, [numbered(MOST - 1) + post, 'GET / ', 'HTTP/1' + get('/late'), get('/later')], false)
    await expect.poll(() => requests.at(-1)).toBe('POST /last 10')
    end()
    expect(bodiesOf(await coming)).toHaveLength(MOST)
    expect(requests).toHaveLength(MOST)
  })
})

describe('what passes as before', () => {
  it.each([
    ['of known length', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
    ['in chunks', (body: string) => `Transfer-Encoding: chunked\r\n\r\n${chunked(body)}0\r\n\r\n`],
    [
      'in chunks, with trailers',
      (body: string) => `Transfer-Encoding: chunked\r\n\r\n${chunked(body)}0\r\nA: b\r\n\r\n`,
    ],
  ])(
    'L3 A7 a body %s that looks like requests, however the bytes are split',
    async (_how, framed) => {
      const { port, requests } = await listen()
      const body = get('/of-the-body').repeat(40)
      const text = `${get('/1')}POST /2 HTTP/1.1\r\nHost: a\r\n${framed(body)}${get('/3')}`
      const expected = ['GET /1 0', `POST /2 ${body.length}`, 'GET /3 0']
      await exchange(port, [text])
      expect(requests.splice(0)).toEqual(expected)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat({ max: text.length }), { maxLength: 12 }), async (cuts) => {
          const at = [0, ...cuts.toSorted((a, b) => a - b), text.length]
          await exchange(
            port,
            at
              .slice(1)
              .map((end, index) => text.slice(at[index], end))
              .filter(Boolean),
          )
          expect(requests.splice(0)).toEqual(expected)
        }),
        { numRuns: 20 },
      )
    },
    60_000,
  )

  it.each([
    ['upgrade', 'Connection: Upgrade\r\nUpgrade: echo\r\n'],
    ['request', ''],
  ])('L3 A7 chunks of an %s that are full of ends of heads arrive in as many pieces as packets', async (_of, more) => {
    let pieces = 0
    const count = (request: IncomingMessage) => request.on('data', () => void pieces++)
    const { port, server } = await listen((request, response) => {
      count(request)
      request.on('end', () => response.end())
    })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      count(request)
      request.on('end', () => socket.end())
    })
    const data = '\r\n\r\n'.repeat(16_384)
    const head = `POST / HTTP/1.1\r\nHost: a\r\n${more}Transfer-Encoding: chunked\r\n\r\n`
    await exchange(port, [`${head}${data.length.toString(16)};x\r\n${data}\r\n0\r\n\r\n`], false)
    expect(pieces).toBeGreaterThan(0)
    expect(pieces).toBeLessThan(20)
  })

  it('L3 empty lines between requests reach the parser together, and are no way around the limit', async () => {
    let pieces = 0
    const requests: (string | undefined)[] = []
    const server = createServer((request, response) => {
      requests.push(request.url)
      response.end()
    })
    // Between the limit and the listener of node:http that is the parser.
    server.on('connection', (socket) => {
      const [parse] = socket.listeners('data')
      socket.removeAllListeners('data').on('data', (piece) => {
        pieces++
        parse?.call(socket, piece)
      })
    })
    limitPipelining(server, MOST)
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const lines = '\r\n\r\n'.repeat(16_384)
    const { port } = server.address() as AddressInfo
    await exchange(port, [lines, get('/first') + lines, lines + numbered(3000)], false)
    expect(requests).toHaveLength(1 + MOST)
    // Packets of at most 64 KiB, and the heads.
    expect(pieces).toBeLessThan(100)
  })

  it.each([
    ['of known length', (body: Buffer) => [`Content-Length: ${body.length}\r\n\r\n`, body]],
    [
      'in chunks',
      (body: Buffer) => [
        `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
        Buffer.concat([body, Buffer.from('\r\n0\r\n\r\n')]),
      ],
    ],
  ])(
    'L3 A7 a large body %s arrives whole, and its packets take no memory once they are parsed',
    async (_how, framed) => {
      const packets: Buffer[] = []
      const received: Buffer[] = []
      const { port, requests, server } = await listen((request, response) => {
        request.on('data', (chunk: Buffer) => received.push(chunk))
        request.on('end', () => response.end(`of ${request.url};`))
      })
      server.on('connection', (socket) => socket.prependListener('data', (packet: Buffer) => packets.push(packet)))
      const body = Buffer.alloc(1_000_000, 'a body of which no two parts of 64 KiB are the same')
      const [head, rest] = framed(body)
      const got = await exchange(port, [`POST /1 HTTP/1.1\r\nHost: a\r\n${head}`, rest!, get('/2')])
      expect(bodiesOf(got)).toEqual(['/1', '/2'])
      expect(requests).toEqual([`POST /1 ${body.length}`, 'GET /2 0'])
      expect(Buffer.concat(received).equals(body)).toBe(true)
      const kept = packets.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
      // Some packets are small: those with the head, the end of the body and the second request.
      expect(kept).toBeLessThan(body.length / 2)
    },
  )

  it('L3 an end in the middle of END, at each of its bytes', async () => {
    const { port, requests } = await listen()
    const text = get('/1') + get('/2')
    for (let cut = 1; cut < text.length; cut++) await exchange(port, [text.slice(0, cut), text.slice(cut)])
    expect(requests).toEqual(Array.from({ length: text.length - 1 }, () => ['GET /1 0', 'GET /2 0']).flat())
  })

  it('L3 Expect, HEAD and an early end of the client', async () => {
    const { port, requests, server } = await listen()
    handleExpectations(server)
    const post = 'POST /1 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc'
    const received = await exchange(port, [post, 'HEAD /2 HTTP/1.1\r\nHost: a\r\n\r\n'])
    expect(requests).toEqual(['POST /1 3', 'HEAD /2 0'])
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  it.each([
    ['without a body', ''],
    ['with a body', 'Content-Length: 4\r\n'],
  ])('L3 an upgrade %s gets the bytes that follow its head', async (_how, framing) => {
    const { port, server } = await listen()
    server.on('upgrade', (_request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      if (head.length > 0) socket.unshift(head)
      socket.pipe(socket)
    })
    const body = framing === '' ? '' : 'body'
    const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n${framing}\r\n${body}`
    const received = await exchange(port, [`${head}first\r\n\r\nsecond`, '\r\n\r\nthird'])
    expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toBe('first\r\n\r\nsecond\r\n\r\nthird')
  })

  it('L3 a client that reads nothing holds back what follows, and gets all of it later', async () => {
    const { port, requests } = await listen((request, response) =>
      request.on('end', () => response.end(`of ${request.url};${'x'.repeat(200_000)}`)),
    )
    const socket = connect(port, '127.0.0.1').pause()
    socket.write(numbered(MOST - 2))
    await expect.poll(() => requests.length).toBeGreaterThan(0)
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString()
    })
    socket.resume()
    await expect.poll(() => bodiesOf(received).length).toBe(MOST - 2)
    socket.destroy()
  })

  it.each([
    ['a bare line feed', 'GET /1 HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\nHost: a\n\n'],
    ['a line feed at the end of the head', 'GET /1 HTTP/1.1\r\nHost: a\r\n\nGET /2 HTTP/1.1\r\nHost: a\r\n\n'],
    [
      'two lengths',
      `${get('/1')}POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab${get('/3')}`,
    ],
    [
      'length and chunks',
      `POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get('/2')}`,
    ],
    ['a space before the colon', `GET /1 HTTP/1.1\r\nHost : a\r\n\r\n${get('/2')}`],
    ['a folded line', `GET /1 HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n${get('/2')}`],
    ['empty lines between', `\r\n\r\n${get('/1')}\r\n\r\n${get('/2')}`],
    ['a method that does not exist', `${get('/1')}GOT /2 HTTP/1.1\r\nHost: a\r\n\r\n${get('/3')}`],
    ['a chunk without a size', `POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n${get('/2')}`],
    ['a body of a GET', `GET /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde${get('/2')}`],
    ['HTTP/1.0', `GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${get('/2')}`],
  ])('L3 G8 %s is read as node:http alone reads it', async (_what, text) => {
    const statuses = async (isCut: boolean) => {
      const { port, requests } = await listen(undefined, isCut)
      const received = await exchange(port, [text])
      return { requests, statuses: received.match(/HTTP\/1\.1 \d+/g) }
    }
    expect(await statuses(true)).toEqual(await statuses(false))
  })
})

const chunked = (text: string) =>
  (text.match(/.{1,99}/gs) ?? []).map((part) => `${part.length.toString(16)};e=1\r\n${part}\r\n`).join('')
