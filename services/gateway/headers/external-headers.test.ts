// The headers between a client and another host, to which a rewrite leads (X4).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ExternalStack, startExternalStack } from '../testing/external-fixture.ts'

let stack: ExternalStack
beforeAll(async () => {
  stack = await startExternalStack()
})
afterAll(() => stack.stop())
beforeEach(() => stack.reset())

describe('the headers of a request to another host', () => {
  it('X4 G1 are without those that are internal, claimed or for one connection', async () => {
    const strange = {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-port': '1',
      x_forwarded_for: '6.6.6.6',
      'x-forwarded': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'x-original-url': '/admin',
      'x-rewrite-url': '/admin',
      'cf-connecting-ip': '6.6.6.6',
      'portico-internal-route': '{}',
      'portico-prefetch': '1',
      'x-portico-cache': 'hit',
      'x-request-id': '1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
      te: 'trailers',
      'proxy-authorization': 'Basic x',
      upgrade: 'h2c',
      'keep-alive': 'timeout=9',
    }
    await stack.get('/out/x', { headers: { ...strange, 'accept-language': 'de', 'x-mine': '1' } })
    const { host: _host, connection: _connection, ...sent } = stack.headersSent()
    expect(sent).toEqual({
      'accept-language': 'de',
      'x-mine': '1',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `127.0.0.1:${stack.gateway.port}`,
      'cdn-loop': 'portico-build1',
    })
  })

  it('X4 have the cookies that the config names, and no Authorization', async () => {
    const credentials = { authorization: 'Bearer a', cookie: 'a=1; session=2; portico-visitor=3; session; sessions=4' }
    await stack.get('/out/x', { headers: credentials })
    expect(stack.headersSent().cookie).toBe('session=2')
    expect(stack.headersSent()).not.toHaveProperty('authorization')
    await stack.get('/out/x', { headers: { cookie: 'a=1' } })
    expect(stack.headersSent()).not.toHaveProperty('cookie')
  })

  it('X4 name the plain form of a response that the gateway has compressed', async () => {
    await stack.get('/out/x', { headers: { 'if-none-match': 'W/"a~br", "b~br", W/"c"' } })
    expect(stack.headersSent()['if-none-match']).toBe('"a", "b~br", W/"c"')
  })

  it('X4 G8 are refused as elsewhere where their framing is doubtful', async () => {
    const doubtful: Record<string, string>[] = [
      { 'transfer-encoding': 'chunked', 'content-length': '3' },
      { connection: 'content-length', 'content-length': '3' },
    ]
    for (const headers of doubtful) expect((await stack.get('/out/x', { method: 'POST', headers })).status).toBe(400)
    expect(stack.urls()).toEqual([])
  })
})

describe('the headers of a response of another host', () => {
  it('X4 G1 are without those of the stack, and those that act on more than the response', async () => {
    stack.other.respond = (_request, response) =>
      void response
        .writeHead(200, {
          'portico-internal-route': '/admin',
          'portico-internal-code': 'internal',
          'portico-build': 'x',
          'portico-session': 'changed',
          'x-portico-cache': 'hit',
          'strict-transport-security': 'max-age=1; includeSubDomains',
          'alt-svc': 'h3=":443"',
          'clear-site-data': '"cookies"',
          'x-accel-redirect': '/etc/passwd',
          'x-sendfile': '/etc/passwd',
          'proxy-authenticate': 'Basic',
          'set-cookie': ['session=1; Path=/', 'other=1', '=session=1', 'portico-visitor=1'],
          server: 'x',
          'x-their': 'own',
          etag: '"a"',
        })
        .end('body')
    const { headers } = await stack.get('/out/x')
    expect(headers).toMatchObject({ 'set-cookie': ['session=1; Path=/'], 'x-their': 'own', etag: '"a"' })
    const gone = /^(?:x-)?portico-|^strict-|^alt-svc|^clear-|^x-accel|^x-sendfile|^proxy-|^server$/
    expect(Object.keys(headers).filter((name) => gone.test(name))).toEqual([])
    await expect
      .poll(() => stack.gateway.lines.filter(({ path }) => path === '/base/out/x').at(-1))
      .toMatchObject({
        route: 'external',
      })
    expect(stack.gateway.lines.some(({ code, route }) => code === 'internal' || route === '/admin')).toBe(false)
  })
})
