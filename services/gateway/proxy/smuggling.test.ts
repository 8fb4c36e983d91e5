// Two clients, one upstream that keeps its connections: no client receives the response to another client (G8).

import { expect, it } from 'vitest'
import { send } from '../testing/gateway-fixture.ts'
import { gatewayOf, stopAfter } from '../testing/proxy-fixture.ts'
import { connectRaw } from '../testing/raw-client.ts'
import { startRawUpstream } from '../testing/raw-upstream.ts'

it.each(['DELETE', 'OPTIONS', 'TRACE', 'GET', 'POST', 'PROPFIND'])(
  'G8 sends each client its own response next to a %s whose Connection names Content-Length',
  async (method) => {
    const upstream = stopAfter(await startRawUpstream())
    upstream.delayOf = ({ target }) => (target === '/api/slow' ? 50 : 0)
    const { url } = upstream
    const gateway = await gatewayOf({ upstreams: { renderer: url, images: url, actions: url } })
    const smuggled = 'GET /api/slow HTTP/1.1\r\nHost: a\r\n\r\n'
    const attacker = connectRaw(gateway.port)
    for (let count = 0; count < 5; count++) {
      attacker.write(
        `${method} /api/x HTTP/1.1\r\nHost: a\r\nConnection: content-length\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      )
      await attacker.read(method)
      const victim = connectRaw(gateway.port)
      victim.write('GET /api/mine HTTP/1.1\r\nHost: a\r\nCookie: secret=1\r\n\r\n')
      expect((await victim.read('GET'))?.body).toBe('response to /api/mine')
      victim.destroy()
    }
    expect(upstream.requests.filter(({ target }) => target !== '/api/mine')).toEqual([])
    expect(upstream.faults).toEqual([])
    attacker.destroy()
  },
)

it.each([
  ['Connection that names a header', 'GET /api/x HTTP/1.1\r\nHost: a\r\nConnection: host\r\n\r\n'],
  [
    'coding that is not passed on',
    'POST /api/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  ],
  ['target with a fragment', 'GET /api/x#y HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['unknown expectation', 'GET /api/x HTTP/1.1\r\nHost: a\r\nExpect: other\r\nConnection: host\r\n\r\n'],
  ['missing Host', 'GET /api/x HTTP/1.1\r\n\r\n'],
  ['second Host', 'GET /api/x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
])('G8 reads no request behind a refused one in the same segment: %s', async (_name, refused) => {
  const upstream = stopAfter(await startRawUpstream())
  const { url } = upstream
  const gateway = await gatewayOf({ upstreams: { renderer: url, images: url, actions: url } })
  // A connection to the upstream exists: the test need not wait.
  await send(gateway.port, '/api/first')
  const client = connectRaw(gateway.port)
  client.write(`${refused}GET /api/next HTTP/1.1\r\nHost: a\r\n\r\n`)
  expect((await client.read('GET'))?.status).toBe(400)
  expect(await client.closed()).toBe('')
  await send(gateway.port, '/api/later')
  await new Promise((done) => setTimeout(done, 50))
  expect(upstream.requests.map(({ target }) => target)).toEqual(['/api/first', '/api/later'])
})

// The parser of node:http drops what follows such a request in the same segment, and parses the next segment.
it.each(['GET', 'POST'])(
  'G8 reads nothing behind a %s that offers an upgrade: not even a body as a request',
  async (method) => {
    const upstream = stopAfter(await startRawUpstream())
    const { url } = upstream
    const gateway = await gatewayOf({ upstreams: { renderer: url, images: url, actions: url } })
    const client = connectRaw(gateway.port)
    const body = 'GET /api/body HTTP/1.1\r\nHost: a\r\n\r\n'
    client.write(
      `${method} /api/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n` +
        `POST /api/next HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    expect((await client.read(method))?.body).toBe('response to /api/x')
    client.write(body)
    expect(await client.closed()).toBe('')
    expect(upstream.requests.map(({ target }) => target)).toEqual(['/api/x'])
  },
)
