import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  all,
  send,
  sendRaw,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../testing/gateway-fixture.ts'

let upstream: Upstream
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startUpstream('upstream')
  gateway = await startGateway({ upstreams: all(upstream) })
})
afterAll(() => Promise.all([gateway.stop(), upstream.stop()]))

const HOST = 'Host: site.test\r\n'
/** Bytes that are a second request if a program reads the first request differently. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: site.test\r\n\r\n'

const CORPUS: [name: string, request: string][] = [
  ['two different lengths', `POST /api/x HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`],
  ['one length twice', `POST /api/x HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
  ['a list of lengths', `POST /api/x HTTP/1.1\r\n${HOST}Content-Length: 3, 3\r\n\r\nabc`],
  ['a signed length', `POST /api/x HTTP/1.1\r\n${HOST}Content-Length: +3\r\n\r\nabc`],
  [
    'length and chunks',
    `POST /api/x HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'chunks and length',
    `POST /api/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  ],
  ['a coding under chunks', `POST /api/x HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  [
    'chunked twice',
    `POST /api/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['an unknown coding', `POST /api/x HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['a space before the colon', `POST /api/x HTTP/1.1\r\n${HOST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
  ['a folded header', `GET /x HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`],
  ['a bad chunk size', `POST /api/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`],
  ['an absolute target', `GET http://evil.example/x HTTP/1.1\r\n${HOST}\r\n`],
  ['an absolute target that is no URL', `GET http://[/x HTTP/1.1\r\n${HOST}\r\n`],
  ['a fragment behind a malformed authority', `GET //a@[#y HTTP/1.1\r\n${HOST}\r\n`],
  ['an authority target', `GET evil.example:80 HTTP/1.1\r\n${HOST}\r\n`],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
  ['a fragment', `GET /x#y HTTP/1.1\r\n${HOST}\r\n`],
  ['no host', 'GET /x HTTP/1.1\r\n\r\n'],
  ['no host in HTTP/1.0', 'GET /x HTTP/1.0\r\n\r\n'],
  ['two hosts', `GET /x HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`],
  ['a host with a path', 'GET /x HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['a host whose port is out of range', 'GET /x HTTP/1.1\r\nHost: a:65536\r\n\r\n'],
  ['a host with a user', 'GET /x HTTP/1.1\r\nHost: a@b\r\n\r\n'],
  ['version 2.0', `GET /x HTTP/2.0\r\n${HOST}\r\n`],
  ['version 0.9', `GET /x HTTP/0.9\r\n${HOST}\r\n`],
  ['a bare line feed', 'GET /x HTTP/1.1\nHost: site.test\n\n'],
  ['a zero byte in a header', `GET /x HTTP/1.1\r\n${HOST}X-A: a\0b\r\n\r\n`],
]

describe('framing', () => {
  it.each(CORPUS)('G1 responds with 400 and closes: %s', async (_name, request) => {
    const before = upstream.requests.length
    const { text, isClosed } = await sendRaw(gateway.port, request + SMUGGLED)
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(isClosed).toBe(true)
    expect(upstream.requests.length).toBe(before)
  })

  it('G1 closes after CONNECT', async () => {
    const { text, isClosed } = await sendRaw(gateway.port, `CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n${SMUGGLED}`)
    expect([text.includes('200'), isClosed]).toEqual([false, true])
  })

  // RFC 9110 section 7.8: a server may ignore an offer. Some clients make one with every first request.
  it.each([
    ['a web socket', { connection: 'Upgrade', upgrade: 'websocket' }],
    ['h2c', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMA' }],
  ])('G1 ignores an offer to upgrade, responds to the request, and passes on no offer: %s', async (_name, headers) => {
    upstream.requests.length = 0
    expect((await send(gateway.port, '/x', { headers })).status).toBe(200)
    expect((await send(gateway.port, '/api/x', { method: 'POST', headers, body: 'abc' })).status).toBe(200)
    expect((await send(gateway.port, '/_portico/dev', { headers })).status).toBe(404)
    expect(upstream.requests.map(({ url, body }) => url + body)).toEqual(['/x', '/api/xabc'])
    for (const name of ['upgrade', 'http2-settings'])
      expect(upstream.requests.filter((request) => name in request.headers)).toEqual([])
  })

  it('G1 responds to pipelined requests in their order', async () => {
    const request = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`
    const { text } = await sendRaw(gateway.port, request('/a') + request('/b/') + request('/c'))
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 308', 'HTTP/1.1 200'])
  })

  it('G1 sends 100 Continue itself and passes the body on', async () => {
    const { text } = await sendRaw(
      gateway.port,
      `POST /api/x HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
    expect(upstream.requests.at(-1)).toMatchObject({ body: 'abc' })
    expect(upstream.requests.at(-1)?.headers.expect).toBeUndefined()
  })
})

describe('paths', () => {
  it.each([
    '/%',
    '/a%2',
    '/a%zz',
    '/%ff',
    '/a%00',
    '/a%00.png',
    '/_portico/static/%00',
    '/api/%E0%A4%A',
    '/robots.txt%00',
  ])('R3 %s is 400', async (path) => {
    const before = upstream.requests.length
    for (const method of ['GET', 'POST']) expect((await send(gateway.port, path, { method })).status).toBe(400)
    expect(upstream.requests.length).toBe(before)
  })
})
