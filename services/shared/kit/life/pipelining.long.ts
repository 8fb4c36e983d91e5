// Pipelined, split and cut-off requests in many spellings (L3, G8): a server that limits pipelining reads each as node:http
// alone does, whether the bytes come in one packet, in two cut at every place, or byte by byte.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { handleExpectations } from '../http/expectations.ts'
import { limitPipelining } from './pipelining.ts'

interface Side {
  port: number
  server: Server
  /** What requests brought, by the path of their connection's first request. */
  seen: Map<unknown, string[]>
}

let plain: Side
let cut: Side

beforeAll(async () => {
  plain = await listen(false)
  cut = await listen(true)
})
afterAll(() => {
  for (const { server } of [plain, cut]) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(isCut: boolean): Promise<Side> {
  const seen: Side['seen'] = new Map()
  const note = (port: number | undefined) => {
    const list = seen.get(port) ?? []
    seen.set(port, list)
    return list
  }
  const server = createServer((request, response) => {
    const list = note(request.socket.remotePort)
    const at = list.push(`${request.method} ${request.url}`) - 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {
      list[at] += ' broken'
    })
    request.on('end', () => {
      list[at] += ` ${JSON.stringify(Buffer.concat(chunks).toString('latin1'))} ${JSON.stringify(request.trailers)}`
      response.end(`of ${request.url};`)
    })
  })
  if (isCut) limitPipelining(server)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    note(request.socket.remotePort).push(`upgrade ${request.url}`)
    socket.on('error', () => {})
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    socket.pipe(socket)
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    note(request.socket.remotePort).push(`connect ${request.url}`)
    socket.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n')
  })
  handleExpectations(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, seen, port: (server.address() as AddressInfo).port }
}

/** What the server read, and what the client received, until the connection ends. */
async function outcome({ port, seen }: Side, pieces: readonly string[], end: 'end' | 'reset'): Promise<unknown> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  await once(socket, 'connect')
  const { localPort } = socket
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece, 'latin1')
    await new Promise((done) => setImmediate(done))
  }
  // All that the bytes lead to: the responses of both sides take a few turns.
  let before = -1
  for (let quiet = 0; quiet < 4; before = received.length) {
    await new Promise((done) => setTimeout(done, 1))
    quiet = received.length === before ? quiet + 1 : 0
  }
  if (end === 'end') socket.end()
  else socket.resetAndDestroy()
  if (!socket.closed) await once(socket, 'close')
  const list = seen.get(localPort) ?? []
  seen.delete(localPort)
  if (end === 'reset') return { list: list.map((line) => line.replace(/ broken$/, '')) }
  return { list, received: received.replace(/^(Date|Keep-Alive): .*\r\n/gm, '') }
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`
const post = (headers: string, body: string) => `POST /p HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`
const chunks = 'Transfer-Encoding: chunked'
const smuggled = get('/smuggled')

const FORMS: Record<string, string> = {
  'one request': get('/1'),
  'two requests': get('/1') + get('/2'),
  'fifteen requests': Array.from({ length: 15 }, (_, at) => get(`/${at}`)).join(''),
  'a length, and a request': post('Content-Length: 5', 'abcde') + get('/2'),
  'a body that is a request': post(`Content-Length: ${smuggled.length}`, smuggled) + get('/2'),
  'a body that ends with the end of a head': post('Content-Length: 8', 'ab\r\n\r\nab') + get('/2'),
  'a body that is the end of a head': post('Content-Length: 4', '\r\n\r\n') + get('/2'),
  'a body of three of its four bytes': `${post('Content-Length: 3', '\r\n\r')}\n${get('/2')}`,
  'a body longer than its length': post('Content-Length: 2', 'abGET') + get('/2'),
  'a body shorter than its length': post('Content-Length: 400', 'ab') + get('/2'),
  'a length of zero': post('Content-Length: 0', '') + get('/2'),
  'a length with a sign': post('Content-Length: +5', 'abcde') + get('/2'),
  'a length in hexadecimal': post('Content-Length: 0x5', 'abcde') + get('/2'),
  'a length with spaces': post('Content-Length:   5  ', 'abcde') + get('/2'),
  'a length with an underscore': post('Content_Length: 5', 'abcde') + get('/2'),
  'a list of lengths': post('Content-Length: 5, 5', 'abcde') + get('/2'),
  'two equal lengths': post('Content-Length: 5\r\nContent-Length: 5', 'abcde') + get('/2'),
  'two lengths': post('Content-Length: 5\r\nContent-Length: 6', 'abcde') + get('/2'),
  'a huge length': post('Content-Length: 99999999999999999999', 'abcde') + get('/2'),
  'a length and chunks': post(`Content-Length: 4\r\n${chunks}`, `0\r\n\r\n${smuggled}`),
  'chunks and a length': post(`${chunks}\r\nContent-Length: 4`, `0\r\n\r\n${smuggled}`),
  'one chunk': post(chunks, '3\r\nabc\r\n0\r\n\r\n') + get('/2'),
  'a chunk that is a request': post(chunks, `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`) + get('/2'),
  'the end of a head in a chunk': post(chunks, '6\r\na\r\n\r\nb\r\n0\r\n\r\n') + get('/2'),
  'a chunk that ends with the end of a head': post(chunks, '5\r\na\r\n\r\n\r\n0\r\n\r\n') + get('/2'),
  'a chunk that is a line end': post(chunks, '2\r\n\r\n\r\n0\r\n\r\n') + get('/2'),
  'the last chunk in a chunk': post(chunks, '5\r\n0\r\n\r\n\r\n0\r\n\r\n') + get('/2'),
  extensions: post(chunks, '3;a=b;c\r\nabc\r\n0;d="e f"\r\n\r\n') + get('/2'),
  'the end of a head in an extension': post(chunks, '3;a="\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"\r\nabc\r\n0\r\n\r\n'),
  'a bare line feed in an extension': post(chunks, '3;\nabc\r\n0\r\n\r\n') + get('/2'),
  'a long extension': post(chunks, `3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`) + get('/2'),
  trailers: post(chunks, '3\r\nabc\r\n0\r\nX-A: b\r\nX-C: d\r\n\r\n') + get('/2'),
  'trailers with framing': post(chunks, '0\r\nContent-Length: 50\r\n\r\n') + get('/2'),
  'trailers that fold': post(chunks, '0\r\nX-A: b\r\n c\r\n\r\n') + get('/2'),
  'trailers without an end': post(chunks, '0\r\nX-A: b\r\n'),
  'a chunk without its line end': post(chunks, '3\r\nabc0\r\n\r\n') + get('/2'),
  'a chunk with a bare line feed': post(chunks, '3\nabc\n0\n\n') + get('/2'),
  'a chunk size with spaces': post(chunks, '3 \r\nabc\r\n0\r\n\r\n') + get('/2'),
  'a chunk size with a sign': post(chunks, '+3\r\nabc\r\n0\r\n\r\n') + get('/2'),
  'a chunk size with 0x': post(chunks, '0x3\r\nabc\r\n0\r\n\r\n') + get('/2'),
  'a chunk size with zeros': post(chunks, '0003\r\nabc\r\n000\r\n\r\n') + get('/2'),
  'a huge chunk size': post(chunks, 'fffffffffffffffff\r\nabc\r\n0\r\n\r\n') + get('/2'),
  'chunks twice': post('Transfer-Encoding: chunked, chunked', '0\r\n\r\n') + get('/2'),
  'chunks with another coding': post('Transfer-Encoding: gzip, chunked', '0\r\n\r\n') + get('/2'),
  'another coding last': post('Transfer-Encoding: chunked, gzip', '0\r\n\r\n') + get('/2'),
  identity: post('Transfer-Encoding: identity\r\nContent-Length: 3', 'abc') + get('/2'),
  'chunks with a tab': post('Transfer-Encoding:\tchunked', '0\r\n\r\n') + get('/2'),
  'chunks with another ending': post('Transfer-Encoding: xchunked', '0\r\n\r\n') + get('/2'),
  'chunks that fold': post('Transfer-Encoding:\r\n chunked', '0\r\n\r\n') + get('/2'),
  'chunks in HTTP/1.0': `POST /p HTTP/1.0\r\n${chunks}\r\n\r\n0\r\n\r\n${get('/2')}`,
  'the body of a HEAD': `HEAD /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc${get('/2')}`,
  'a HEAD between': `${get('/1')}HEAD /2 HTTP/1.1\r\nHost: a\r\n\r\n${get('/3')}`,
  'OPTIONS *': `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`,
  'Expect and its body': post('Expect: 100-continue\r\nContent-Length: 3', 'abc') + get('/2'),
  'Expect without a body': get('/1', 'Expect: 100-continue\r\n') + get('/2'),
  'Expect of something else': post('Expect: tea\r\nContent-Length: 3', 'abc') + get('/2'),
  'Expect and chunks': post(`Expect: 100-continue\r\n${chunks}`, '3\r\nabc\r\n0\r\n\r\n') + get('/2'),
  'an upgrade': get('/1', 'Connection: Upgrade\r\nUpgrade: echo\r\n') + smuggled,
  'an upgrade behind a request': `${get('/1') + get('/2', 'Connection: Upgrade\r\nUpgrade: echo\r\n')}data\r\n\r\nmore`,
  'an upgrade with a length': post('Connection: Upgrade\r\nUpgrade: echo\r\nContent-Length: 3', `abc${smuggled}`),
  'an upgrade with chunks': post(
    `Connection: Upgrade\r\nUpgrade: echo\r\n${chunks}`,
    `3\r\nabc\r\n0\r\n\r\n${smuggled}`,
  ),
  'an offer to upgrade without Connection': get('/1', 'Upgrade: echo\r\n') + get('/2'),
  CONNECT: `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`,
  'the preface of HTTP/2': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${get('/2')}`,
  'a fold in a header': `GET /1 HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n${get('/2')}`,
  'a first header that folds': `GET /1 HTTP/1.1\r\n Host: a\r\n\r\n${get('/2')}`,
  'a bare line feed at the end of a line': `GET /1 HTTP/1.1\nHost: a\r\n\r\n${get('/2')}`,
  'bare line feeds': 'GET /1 HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\nHost: a\n\n',
  'a bare carriage return in a value': `GET /1 HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n${get('/2')}`,
  'a bare carriage return at the end': `GET /1 HTTP/1.1\r\nHost: a\r\n\r\r\n${get('/2')}`,
  'a line feed and the end': `GET /1 HTTP/1.1\r\nHost: a\r\n\n${get('/2')}`,
  'empty lines before': `\r\n\r\n\r\n${get('/1')}${get('/2')}`,
  'empty lines between': `${get('/1')}\r\n\r\n${get('/2')}`,
  'a carriage return between': `${get('/1')}\r${get('/2')}`,
  'a zero byte in a value': `GET /1 HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n${get('/2')}`,
  'a zero byte in the target': `GET /1\0 HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`,
  'a space before the colon': `GET /1 HTTP/1.1\r\nHost : a\r\n\r\n${get('/2')}`,
  'a header without a name': `GET /1 HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n${get('/2')}`,
  'a header without a colon': `GET /1 HTTP/1.1\r\nHost: a\r\nb\r\n\r\n${get('/2')}`,
  'no host': `GET /1 HTTP/1.1\r\n\r\n${get('/2')}`,
  'two hosts': `GET /1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${get('/2')}`,
  'HTTP/0.9': `GET /1\r\n\r\n${get('/2')}`,
  'HTTP/1.0, kept': `GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${get('/2')}`,
  'HTTP/1.0': `GET /1 HTTP/1.0\r\n\r\n${get('/2')}`,
  'HTTP/2.0': `GET /1 HTTP/2.0\r\nHost: a\r\n\r\n${get('/2')}`,
  'Connection: close': get('/1', 'Connection: close\r\n') + get('/2'),
  'an unknown method': `GOT /1 HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`,
  'a method in lower case': `get /1 HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`,
  'an absolute target': `GET http://b/1 HTTP/1.1\r\nHost: a\r\n\r\n${get('/2')}`,
  'a TLS greeting': `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\r\n'.repeat(4)}`,
  'a head that is too long': get('/1', `X: ${'x'.repeat(20_000)}\r\n`) + get('/2'),
  'half a head': `${get('/1')}GET /2 HTTP/1.1\r\nHost: a\r\n`,
  'half a body': post('Content-Length: 10', 'abcde'),
  'half a chunk': post(chunks, '5\r\nab'),
}

/** In one packet; in two, cut at every place (of the last kilobyte in long ones); byte by byte. */
function splits(text: string): string[][] {
  const first = Math.max(1, text.length - 120)
  const two = Array.from({ length: text.length - first }, (_, at) => [
    text.slice(0, first + at),
    text.slice(first + at),
  ])
  return [[text], ...two, [...text.slice(-300)].map((byte, at) => (at === 0 ? text.slice(0, -300) : '') + byte)]
}

it.each(Object.entries(FORMS))('L3 G8 %s is read as node:http alone reads it', async (_name, text) => {
  const differing: unknown[] = []
  const compare = async (pieces: string[], end: 'end' | 'reset') => {
    const [expected, found] = await Promise.all([outcome(plain, pieces, end), outcome(cut, pieces, end)])
    if (JSON.stringify(found) !== JSON.stringify(expected)) differing.push({ pieces, expected, found })
    return expected
  }
  const all = splits(text)
  for (let at = 0; at < all.length; at += 20)
    await Promise.all(all.slice(at, at + 20).map((pieces) => compare(pieces, 'end')))
  await compare([text], 'reset')
  expect(differing).toEqual([])
})
