// The bytes that an upstream receives for every method, framing and Connection header, in both versions of HTTP/1 (G8):
// one well-formed request with the framing that the gateway read, or no request and the client is refused.

import { runs } from '@portico/shared/kit/testing/runs.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from '../testing/gateway-fixture.ts'
import { connectRaw } from '../testing/raw-client.ts'
import { type RawUpstream, startRawUpstream } from '../testing/raw-upstream.ts'

type Read = 'none' | 'length' | 'chunked' | 'refused'

/** Bytes that are a request if the framing is lost. */
const SMUGGLED = 'GET /api/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const CHUNKS = `5\r\nGET /\r\n${(SMUGGLED.length - 5).toString(16)};x=y\r\n${SMUGGLED.slice(5)}\r\n0\r\nX-Trailer: 1\r\n\r\n`
const LENGTH = `Content-Length: ${SMUGGLED.length}\r\n`

/** One of each kind first; the rest by `npm run test:long`. */
const METHODS = ['GET', 'POST', 'DELETE', 'HEAD', 'BREW', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']

/** Header lines, bytes behind the head, how a strict reader of HTTP/1.1 takes them. */
const FRAMINGS: [name: string, lines: string, body: string, read: Read][] = [
  ['no framing', '', '', 'none'],
  ['a length', LENGTH, SMUGGLED, 'length'],
  ['a length with zeros in front', `Content-Length: 00${SMUGGLED.length}\r\n`, SMUGGLED, 'length'],
  ['a length of 0', 'Content-Length: 0\r\n', '', 'none'],
  ['chunks', 'Transfer-Encoding: chunked\r\n', CHUNKS, 'chunked'],
  ['chunks in capitals', 'TRANSFER-ENCODING:\tChunked \r\n', CHUNKS, 'chunked'],
  ['no chunks', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n', 'chunked'],
  ['a length and chunks', `${LENGTH}Transfer-Encoding: chunked\r\n`, CHUNKS, 'refused'],
  ['chunks and a length', `Transfer-Encoding: chunked\r\n${LENGTH}`, CHUNKS, 'refused'],
  ['a length twice', LENGTH + LENGTH, SMUGGLED, 'refused'],
  ['two lengths', `Content-Length: 0\r\n${LENGTH}`, SMUGGLED, 'refused'],
  ['a list of lengths', `Content-Length: ${SMUGGLED.length}, ${SMUGGLED.length}\r\n`, SMUGGLED, 'refused'],
  ['an empty length', 'Content-Length: \r\n', SMUGGLED, 'refused'],
  ['a hexadecimal length', `Content-Length: 0x${SMUGGLED.length.toString(16)}\r\n`, SMUGGLED, 'refused'],
  ['identity', 'Transfer-Encoding: identity\r\n', SMUGGLED, 'refused'],
  ['identity and a length', `Transfer-Encoding: identity\r\n${LENGTH}`, SMUGGLED, 'refused'],
  ['gzip and chunks', 'Transfer-Encoding: gzip, chunked\r\n', CHUNKS, 'refused'],
  ['chunks and gzip', 'Transfer-Encoding: chunked, gzip\r\n', CHUNKS, 'refused'],
  ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', CHUNKS, 'refused'],
  ['an unknown coding', 'Transfer-Encoding: xchunked\r\n', CHUNKS, 'refused'],
  ['an empty coding', 'Transfer-Encoding: \r\n', SMUGGLED, 'refused'],
  ['a folded coding', 'Transfer-Encoding:\r\n chunked\r\n', CHUNKS, 'refused'],
  ['a folded length', `Content-Length:\r\n ${SMUGGLED.length}\r\n`, SMUGGLED, 'refused'],
  ['a space before the colon', `Content-Length : ${SMUGGLED.length}\r\n`, SMUGGLED, 'refused'],
  ['a coding behind a bare CR', `X-A: b\rTransfer-Encoding: chunked\r\n`, CHUNKS, 'refused'],
]

/** Header lines, and whether the request may have them when it carries Content-Length or Transfer-Encoding or neither. */
const CONNECTIONS: [name: string, lines: string, allowed: boolean][] = [
  ['no Connection', '', true],
  ['close', 'Connection: close\r\n', true],
  ['keep-alive', 'Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n', true],
  ['upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n', true],
  ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n', true],
  ['te', 'Connection: TE\r\nTE: trailers\r\n', true],
  ['trailer', 'Connection: trailer\r\nTrailer: x-trailer\r\n', true],
  ['proxy-connection', 'Connection: proxy-connection\r\nProxy-Connection: keep-alive\r\n', true],
  ['an absent name', 'Connection: x-absent, content\r\n', true],
  ['empty elements', 'Connection: ,\t, close ,,\r\n', true],
  ['content-length', 'Connection: content-length\r\n', false],
  ['transfer-encoding', 'Connection: transfer-encoding\r\n', false],
  ['both in odd case behind spaces', 'Connection:keep-alive ,\t Content-LENGTH\t,TRANSFER-encoding  \r\n', false],
  ['content-length on a second line', 'Connection: close\r\nX-A: b\r\ncOnNeCtIoN: content-length\r\n', false],
  ['host', 'Connection: host\r\n', false],
  ['connection', 'Connection: connection\r\n', false],
  ['a cookie that is there', 'Cookie: a=1\r\nConnection: cookie\r\n', false],
  ['a cookie that is not there', 'Connection: cookie\r\n', true],
  ['x-forwarded-for', 'Connection: x-forwarded-for\r\n', false],
  ['x-forwarded-host that is there', 'X-Forwarded-Host: b\r\nConnection: x-forwarded-host\r\n', false],
  ['the request id', 'Connection: x-request-id\r\n', false],
  ['the trace', 'Connection: traceparent\r\n', false],
  ['an internal name', 'Connection: portico-internal-route\r\n', false],
  ['an action id', 'Portico-Action: a\r\nConnection: portico-action\r\n', false],
  ['a name with a character that no name has', 'Connection: content-length;\r\n', false],
  ['a name behind a vertical tab', 'Connection: \x0bcontent-length\r\n', false],
  ['a name behind a no-break space', 'Connection: \xa0content-length\r\n', false],
]

/** What the parser refuses, it refuses before it knows the other headers: a few of them are enough. */
const framingsWith = (connection: string) =>
  ['no Connection', 'an absent name', 'content-length'].includes(connection)
    ? FRAMINGS
    : FRAMINGS.filter(([, , , read]) => read !== 'refused')

let upstream: RawUpstream
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startRawUpstream()
  const { url } = upstream
  const images = { localPatterns: [{ pathname: '/api/**' }] }
  // The gateway reads no other setting of images.
  const rewrites = [{ source: '/far/:path*', destination: `http://far.test:${url.port}/api/:path*` }]
  const manifest = { images, rewrites } as NonNullable<Parameters<typeof startGateway>[0]['manifest']>
  gateway = await startGateway({
    upstreams: { renderer: url, images: url, actions: url },
    manifest,
    rewriteInnerHosts: ['far.test'],
    resolveHost: async () => [{ address: '127.0.0.1', family: 4 }],
  })
})
afterAll(() => Promise.all([gateway.stop(), upstream.stop()]))

/** By method: what node:http's parser does not know is 400, TRACE is 405 (E6). */
const statusOf = (method: string) => (method === 'BREW' ? 400 : method === 'TRACE' ? 405 : 200)

function expectedFraming(method: string, read: Read): [framing: string, body: string] {
  if (method === 'GET' || method === 'HEAD') return ['none', '']
  if (read === 'length' || read === 'chunked') return [read, SMUGGLED]
  return method === 'DELETE' || method === 'OPTIONS' ? ['none', ''] : ['length', '']
}

let count = 0

async function sendOne(
  port: number,
  method: string,
  version: string,
  framing: string,
  connection: string,
  body: string,
) {
  const target = `/api/${++count}`
  const client = connectRaw(port)
  client.write(`${method} ${target} HTTP/${version}\r\nHost: a\r\n${framing}X-Kept: 1\r\n${connection}\r\n${body}`)
  const before = upstream.requests.length
  const response = await client.read(method)
  return { target, client, response, before }
}

for (const version of ['1.1', '1.0'])
  for (const method of METHODS.slice(0, runs(version === '1.1' ? 5 : 2, METHODS.length)))
    describe(`${method} of HTTP/${version}`, () => {
      it.each(CONNECTIONS)(
        'G8 sends one request with the framing that it read, or none: %s',
        async (name, connection, allowed) => {
          for (const [framing, lines, body, read] of framingsWith(name)) {
            const what = `${method} ${version}, ${name}, ${framing}`
            const { target, client, response, before } = await sendOne(
              gateway.port,
              method,
              version,
              lines,
              connection,
              body,
            )
            const refused = !allowed || read === 'refused' || (version === '1.0' && read === 'chunked')
            const status = refused ? 400 : statusOf(method)
            expect([what, response?.status]).toEqual([what, status])
            if (status === 200) {
              const [expected, expectedBody] = expectedFraming(method, framing === 'no chunks' ? 'chunked' : read)
              const sent = upstream.requests.slice(before)
              expect([
                what,
                sent.map((request) => [request.method, request.target, request.framing, request.body]),
              ]).toEqual([what, [[method, target, expected, framing === 'no chunks' ? '' : expectedBody]]])
              expect(sent[0]!.headers.get('host')).toBe('a')
              expect(sent[0]!.headers.get('connection')).toBe('keep-alive')
              expect(sent[0]!.headers.get('x-kept')).toBe('1')
              if (method !== 'HEAD') expect(response!.body).toBe(`response to ${target}`)
            } else expect([what, upstream.requests.slice(before)]).toEqual([what, []])
            if (status === 400) expect([what, await client.closed()]).toEqual([what, ''])
            else if (!/\r\nconnection: close/i.test(response!.head)) {
              // Client and gateway agree on where the request ended.
              client.write('GET /api/next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
              expect([what, (await client.read('GET'))?.body]).toEqual([what, 'response to /api/next'])
            }
            client.destroy()
          }
          expect(upstream.faults).toEqual([])
        },
      )
    })

describe('the other listener and other methods', () => {
  it('G8 follows the same rule on the listener for images', async () => {
    for (const [name, connection, allowed] of CONNECTIONS) {
      const { client, response, before } = await sendOne(gateway.sitePort, 'GET', '1.1', LENGTH, connection, SMUGGLED)
      expect([name, response?.status]).toEqual([name, allowed ? 200 : 400])
      expect([name, upstream.requests.slice(before).map(({ framing }) => framing)]).toEqual([
        name,
        allowed ? ['none'] : [],
      ])
      client.destroy()
    }
    expect(upstream.faults).toEqual([])
  })

  it('X4 G8 follows the same rule for another host', async () => {
    for (const method of METHODS)
      for (const [name, lines, body, read] of FRAMINGS) {
        const what = `${method}, ${name}`
        const client = connectRaw(gateway.port)
        const before = upstream.requests.length
        client.write(`${method} /far/x HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n${body}`)
        const status = read === 'refused' ? 400 : statusOf(method)
        expect([what, (await client.read(method))?.status]).toEqual([what, status])
        const [framing, text] = expectedFraming(method, name === 'no chunks' ? 'chunked' : read)
        const sent = upstream.requests.slice(before).map((request) => [request.target, request.framing, request.body])
        const expected = [['/api/x', framing, name === 'no chunks' ? '' : text]]
        expect([what, sent]).toEqual([what, status === 200 ? expected : []])
        client.destroy()
      }
    expect(upstream.faults).toEqual([])
  })

  it('E6 responds to TRACE with 405 and Allow for every kind of address on both listeners, and passes nothing on', async () => {
    const before = upstream.requests.length
    const all = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
    const addresses: [path: string, allow: string][] = [
      ['/', 'GET, HEAD'],
      ['/about/', 'GET, HEAD'],
      ['/api/x', all],
      ['/_portico/data/build1/index.json', 'GET, HEAD'],
      ['/_portico/image?url=a', 'GET, HEAD'],
      ['/_portico/static/a.js', 'GET, HEAD'],
    ]
    for (const [path, allow] of addresses)
      for (const port of [gateway.port, gateway.sitePort]) {
        const client = connectRaw(port)
        client.write(`TRACE ${path} HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\n\r\n`)
        const response = await client.read('TRACE')
        expect([path, response?.status]).toEqual([path, 405])
        expect(response?.head).toContain(`\r\nallow: ${port === gateway.port ? allow : 'GET, HEAD'}\r\n`)
        expect(response?.head + response!.body).not.toContain('a=1')
        client.destroy()
      }
    expect(upstream.requests.length).toBe(before)
  })
})
