// Rewrites to other hosts through the gateway (X4): which requests are sent there, and what comes back.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ExternalStack, startExternalStack } from '../testing/external-fixture.ts'
import { send } from '../testing/gateway-fixture.ts'

let stack: ExternalStack
beforeAll(async () => {
  stack = await startExternalStack()
})
afterAll(() => stack.stop())
beforeEach(() => stack.reset())

describe('a rewrite to another host', () => {
  it.each([
    ['/taken', '/from-before'],
    ['/file.txt', '/from-before'],
    ['/out', '/prefix?from=rule'],
    ['/out/a/b?x=1&from=request', '/prefix/a/b?from=rule&x=1'],
    ['/out/a%2Fb/%41%20c', '/prefix/a%2Fb/%41%20c?from=rule'],
    ['/root', '/'],
    ['/api/orders/7', '/api/orders/7'],
    ['/a/b/c', '/last/a/b/c'],
    ['/go?to=a%3Fb%23c%5Cd', '/go/a%3Fb%23c%5Cd?to=a%3Fb%23c%5Cd'],
  ])('X4 leads %s to %s', async (path, url) => {
    expect((await stack.get(path)).status).toBe(200)
    expect(stack.urls()).toEqual([url])
    expect(stack.headersSent().host).toBe(stack.host)
  })

  it('X4 comes after pages and handlers of a fixed path, before pages with parameters only where it is no fallback', async () => {
    expect((await stack.get('/about')).text).toBe('from renderer')
    expect((await stack.get('/api/health')).text).toBe('from actions')
    expect((await stack.get('/slug')).text).toBe('from renderer')
    expect(stack.urls()).toEqual([])
  })

  it('X4 with `basePath: false` applies outside of basePath', async () => {
    expect((await send(stack.gateway.port, '/outside/a?x=1')).status).toBe(200)
    expect(stack.urls()).toEqual(['/whole/a?x=1'])
    expect((await send(stack.gateway.port, '/elsewhere')).status).toBe(404)
  })

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('X4 passes %s on', async (method) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? '{"a":1}' : undefined
    const response = await stack.get('/out/x', {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body }),
    })
    expect(response.status).toBe(200)
    expect(stack.other.requests).toMatchObject([{ method, body: body ?? '' }])
  })

  it('X4 refuses TRACE', async () => {
    expect((await stack.get('/out/x', { method: 'TRACE' })).status).toBe(405)
    expect(stack.urls()).toEqual([])
  })

  it('X4 takes forms and actions that are posted to its path, and runs no action of this site', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'portico-action': 'id' }
    for (const name of ['1', '2']) await stack.get('/taken', { method: 'POST', headers: form, body: `name=${name}` })
    expect(stack.other.requests.map(({ body }) => body)).toEqual(['name=1', 'name=2'])
    expect(stack.actions.requests).toEqual([])
    expect(stack.headersSent()).not.toHaveProperty('portico-action')
  })

  it('X4 passes on status and body, and a redirect without following it', async () => {
    stack.other.respond = (_request, response) =>
      void response.writeHead(307, { location: '/elsewhere', 'x-their': 'own' }).end('moved')
    const response = await stack.get('/out/x')
    expect([response.status, response.headers.location, response.text]).toEqual([307, '/elsewhere', 'moved'])
    expect(response.headers['x-their']).toBe('own')
    expect(stack.urls()).toHaveLength(1)
  })

  it('X4 streams the response', async () => {
    let end = () => {}
    stack.other.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      end = () => void response.end('data: 2\n\n')
    }
    const response = await fetch(`http://127.0.0.1:${stack.gateway.port}/base/out/x`)
    const pieces = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
    expect((await pieces.next()).value).toBe('data: 1\n\n')
    end()
    expect((await pieces.next()).value).toBe('data: 2\n\n')
  })

  it('X4 A7 counts the bytes of a body', async () => {
    expect((await stack.get('/out/x', { method: 'POST', body: 'a'.repeat(100_001) })).status).toBe(413)
    const chunked = { 'transfer-encoding': 'chunked' }
    expect((await stack.get('/out/x', { method: 'POST', headers: chunked, body: 'a'.repeat(100_001) })).status).toBe(
      413,
    )
    expect((await stack.get('/out/x', { method: 'POST', headers: chunked, body: 'a'.repeat(99_000) })).status).toBe(200)
    expect(stack.other.requests.map(({ body }) => body.length)).toEqual([99_000])
  })

  it('X4 C6 keeps the Cache-Control of the response, unless conditions have chosen the host', async () => {
    stack.other.respond = (_request, response) =>
      void response
        .writeHead(200, { 'cache-control': 'public, max-age=60', 'cdn-cache-control': 'max-age=600' })
        .end('cached')
    const plain = await stack.get('/out/x')
    expect([plain.headers['cache-control'], plain.headers['cdn-cache-control']]).toEqual([
      'public, max-age=60',
      undefined,
    ])
    const chosen = await stack.get('/beta', { headers: { cookie: 'beta=1' } })
    expect([chosen.text, chosen.headers['cache-control']]).toEqual(['cached', 'private, no-store'])
    await stack.get('/out/x')
    expect(stack.urls()).toHaveLength(3)
  })

  it('X4 W2 has no page data: the browser requests the address itself', async () => {
    for (const path of ['/taken', '/out/x']) {
      const response = await stack.get(`/_portico/data/build1${path}.json`)
      expect([path, response.status]).toEqual([path, 404])
      expect(JSON.parse(response.text)).not.toHaveProperty('kind')
    }
    expect(stack.urls()).toEqual([])
  })

  it('X4 I4 is not reached from the listener of the images service', async () => {
    for (const path of ['/base/out/x', '/base/file.txt'])
      expect([path, (await send(stack.gateway.sitePort, path)).status]).toEqual([path, 404])
    expect(stack.urls()).toEqual([])
  })

  it('X4 G7 has a log line that names the host', async () => {
    await stack.get('/out/x')
    await expect
      .poll(() => stack.gateway.lines.find(({ by, path }) => by === 'external' && path === '/base/out/x'))
      .toMatchObject({
        replica: `http://${stack.host}`,
        route: 'external',
      })
  })
})

describe('the path of a request to another host', () => {
  it.each([
    '/out/..%2Fadmin',
    '/out/%2e%2e%2Fadmin',
    '/out/a/..%5c..%5cadmin',
    '/out/..;/admin',
    '/out/.%2Fx',
    '/go?to=..%2Fadmin',
    '/go?to=%2e%2e',
  ])('X4 does not leave the path of the destination: %s', async (path) => {
    const { status, text } = await stack.get(path)
    expect(status).toBe(400)
    expect(text).toContain('which no rewrite passes to another host')
    expect(stack.urls()).toEqual([])
  })

  it('X4 keeps dots that are no segments', async () => {
    await stack.get('/out/a..b/...%2Fc')
    expect(stack.urls()).toEqual(['/prefix/a..b/...%2Fc?from=rule'])
  })
})
