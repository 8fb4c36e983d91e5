// Other hosts that cannot be reached, or must not be (X4, E7, I4).

import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '@portico/shared/kit/testing/certificate.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FIRST_BYTE_LIMITS } from '../routes.ts'
import { type ExternalStack, echo, startExternalStack } from '../testing/external-fixture.ts'
import { send, startGateway } from '../testing/gateway-fixture.ts'
import { limitSilence } from './deadlines.ts'

let stack: ExternalStack
beforeAll(async () => {
  stack = await startExternalStack()
})
afterAll(() => stack.stop())
beforeEach(() => stack.reset())

describe('a host that cannot be reached', () => {
  it.each(['/down/x', '/inner/x', '/literal/x'])('X4 E7 is a 502 in the form of the path: %s', async (path) => {
    const response = await stack.get(path)
    expect([response.status, response.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8'])
    expect(response.text).not.toMatch(/test|127\.0/)
  })

  it('X4 I4 is an inner address that no setting names: nothing is sent there, and the log says why', async () => {
    const name = `inner.test:${stack.other.port}`
    const literal = `127.0.0.1:${stack.other.port}`
    const guarded = await startGateway({
      upstreams: stack,
      manifest: {
        rewrites: [
          { source: '/name/:path*', destination: `http://${name}/:path*` },
          { source: '/literal', destination: `http://${literal}/` },
          { source: '/allowed', destination: `http://localhost:${stack.other.port}/` },
        ],
      },
      rewriteInnerHosts: [`localhost:${stack.other.port}`, 'inner.test:1'],
      // One private address among public ones refuses the name.
      resolveHost: async () => [
        { address: '93.184.215.14', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    })
    for (const path of ['/name/x', '/literal'])
      for (const method of ['GET', 'POST'])
        expect([
          path,
          (await send(guarded.port, path, { method, body: method === 'POST' ? 'a' : undefined! })).status,
        ]).toEqual([path, 502])
    expect(stack.urls()).toEqual([])
    expect(guarded.lines).toContainEqual(
      expect.objectContaining({ event: 'rewrite-host', origin: `http://${literal}` }),
    )
    expect(
      guarded.lines.some(({ error }) => JSON.stringify(error ?? '').includes('resolves to a private address')),
    ).toBe(true)
    await guarded.stop()
  })

  it.each([
    ['POST', 502, 1],
    ['DELETE', 502, 1],
    ['GET', 200, 2],
  ])(
    'X4 E7 receives %s over a kept connection that ends: the status is %i, sent %i times',
    async (method, status, times) => {
      await stack.get('/out/x')
      let count = 0
      stack.other.respond = (request, response, body) => {
        count++
        if (count === 1) request.socket.destroy()
        else echo(request, response, body)
      }
      const response = await stack.get('/out/x', { method, ...(method === 'POST' && { body: 'a' }) })
      expect([response.status, count]).toEqual([status, times])
    },
  )

  it.each<[what: string, bytes: string, seen: number | 'cut']>([
    ['a status that cannot be passed on', 'HTTP/1.1 099 Strange\r\ncontent-length: 0\r\n\r\n', 502],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
      502,
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 502],
    ['a header with a line end', 'HTTP/1.1 200 OK\r\nx-a: b\rset-cookie: a=1\r\ncontent-length: 0\r\n\r\n', 502],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}`, 502],
    ['no HTTP', 'SSH-2.0-x\r\n', 502],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 502],
    ['a body that is cut short', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'cut'],
    [
      'more than its length',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\naHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nb',
      200,
    ],
  ])('X4 E7 may respond with %s', async (_what, bytes, seen) => {
    const server = createServer((socket) => socket.on('data', () => socket.end(bytes)).on('error', () => {}))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const strange = await startGateway({
      upstreams: stack,
      manifest: { rewrites: [{ source: '/x', destination: `http://localhost:${port}/` }] },
      rewriteInnerHosts: ['localhost'],
    })
    for (let count = 0; count < 2; count++) {
      const result = await send(strange.port, '/x').catch(() => 'cut' as const)
      expect(result === 'cut' ? result : result.status).toBe(seen)
      if (seen === 200) expect(result).toMatchObject({ text: 'a' })
    }
    await strange.stop()
    await new Promise((done) => server.close(done))
  })

  it('X4 E7 may pause for a time, and has ended then', async () => {
    stack.other.respond = (_request, response) => void response.writeHead(200).write('a')
    const agent = new Agent({ keepAlive: true, timeout: 10_000 })
    const request = get({ port: stack.other.port, agent })
    request.on('error', () => {})
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    // Not earlier: on a busy machine the first byte may be later than this.
    limitSilence(request, 30)
    response.resume()
    await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('X4 E7 is a 504 where the host does not respond in time', async () => {
    const late = await startGateway({
      upstreams: stack,
      manifest: { rewrites: [{ source: '/api/x', destination: `http://localhost:${stack.other.port}/` }] },
      rewriteInnerHosts: ['localhost'],
      limits: { ...FIRST_BYTE_LIMITS, externalMs: 50 },
    })
    stack.other.respond = () => {}
    const response = await send(late.port, '/api/x', { method: 'POST', body: 'a' })
    expect([response.status, JSON.parse(response.text).error.code]).toEqual([504, 'upstream-late'])
    expect(stack.urls()).toHaveLength(1)
    await late.stop()
  })

  it('X4 refuses a request that comes back to the gateway', async () => {
    expect((await stack.get('/out/x', { headers: { 'cdn-loop': 'other.example, portico-build1' } })).status).toBe(502)
    await stack.get('/out/x', { headers: { 'cdn-loop': 'other.example' } })
    expect(stack.headersSent()['cdn-loop']).toBe('other.example, portico-build1')
    expect(stack.urls()).toHaveLength(1)
  })
})

it('X4 sends to https with the name of the host, whose certificate must have it', async () => {
  const authorities = getCACertificates('default')
  const certificate = makeCertificate('secure.test')
  setDefaultCACertificates([...authorities, certificate.cert])
  const respond = (request: IncomingMessage, response: ServerResponse) => void response.end(`${request.headers.host}`)
  const secure = createSecureServer(certificate, respond)
  await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done))
  const { port } = secure.address() as AddressInfo
  const names = ['secure.test', 'wrong.test']
  const tls = await startGateway({
    upstreams: stack,
    manifest: { rewrites: names.map((name) => ({ source: `/${name}`, destination: `https://${name}:${port}/` })) },
    rewriteInnerHosts: names,
    resolveHost: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  // The second request uses the connection of the first.
  for (let count = 0; count < 2; count++)
    expect((await send(tls.port, '/secure.test')).text).toBe(`secure.test:${port}`)
  expect((await send(tls.port, '/wrong.test')).status).toBe(502)
  setDefaultCACertificates(authorities)
  await tls.stop()
  secure.closeAllConnections()
  await new Promise((done) => secure.close(done))
})
