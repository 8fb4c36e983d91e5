// API routes: matches, refusals and failures, through the service's port (A8).

import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { API_METHODS } from '@portico/shared/wire/constants.ts'
import { notFound, redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { sendRaw } from '../testing/requests.ts'
import type { TestActions } from '../testing/start-actions.ts'
import { apiModule, type Handler, startApi } from '../testing/start-api.ts'

type Response = Parameters<Handler>[1]

let service: TestActions | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

async function start(...options: Parameters<typeof startApi>): Promise<TestActions> {
  service = await startApi(...options)
  return service
}

const SAME = { 'sec-fetch-site': 'same-origin' }

describe('an API route', () => {
  it('A8 responds 404 as JSON for an unknown route', async () => {
    const { url } = await start(() => {})
    const response = await fetch(`${url}/api/nope`)
    expect([response.status, await response.json()]).toMatchObject([404, { error: { status: 404 } }])
  })

  it('X15 G3 runs no guarded handler that the build of the gateway does not have', async () => {
    const seen: unknown[] = []
    const run: Handler = ({ headers }, response) => response.json(seen.push(headers['portico-internal-route']))
    const { url } = await start(run, undefined, {
      guarded: ['/api/x'],
      api: { '/api/x': apiModule(run), '/api/y': apiModule(run) },
    })
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await fetch(url + path, { headers })).status
    const unknown = { 'portico-internal-route': '{"moved":"none"}' }
    expect([await statusOf('/api/x', unknown), await statusOf('/api/%78', unknown)]).toEqual([404, 404])
    expect([await statusOf('/api/y', unknown), await statusOf('/api/x', {})]).toEqual([200, 200])
    expect(seen).toEqual([undefined, undefined])
  })

  it('O12 X15 runs nothing that its middleware may guard and that the middleware of another build has let pass', async () => {
    const seen: unknown[] = []
    const run: Handler = ({ headers }, response) => response.json(seen.push(headers['portico-internal-route']))
    const { url } = await start(run, undefined, {
      guarded: ['/api/x'],
      api: { '/api/x': apiModule(run), '/api/y': apiModule(run) },
    })
    const statusOf = async (path: string, guard: string) =>
      (await fetch(url + path, { headers: { 'portico-internal-route': guard } })).status
    const { headers } = await fetch(`${url}/api/y`)
    const own = String(headers.get('portico-build'))
    expect([await statusOf('/api/x', '{"guard":"other"}'), await statusOf('/api/%78', 'other')]).toEqual([503, 503])
    expect([await statusOf('/api/y', 'other'), await statusOf('/api/x', JSON.stringify({ guard: own }))]).toEqual([
      200, 200,
    ])
    expect(seen).toEqual([undefined, undefined, undefined])
  })

  it('R3 responds 400 to a malformed path', async () => {
    const { url } = await start(() => {})
    expect((await fetch(`${url}/api/%zz`)).status).toBe(400)
  })

  it('A8 is below the basePath', async () => {
    const { url } = await start((_request, response) => response.json(1), undefined, { basePath: '/base' })
    expect((await fetch(`${url}/base/api/x`)).status).toBe(200)
    expect((await fetch(`${url}/api/x`)).status).toBe(405)
  })

  it('N4 is not a page: /apiary is not below /api', async () => {
    const { url } = await start(() => {})
    expect((await fetch(`${url}/apiary`, { method: 'POST', headers: SAME })).status).toBe(405)
  })

  it.each([
    ['GET', 'cross-site', undefined, 200],
    ['HEAD', 'cross-site', undefined, 200],
    ['POST', 'cross-site', undefined, 403],
    ['PUT', 'same-site', undefined, 403],
    ['DELETE', 'same-origin', undefined, 200],
    ['POST', 'cross-site', { crossOrigin: true }, 200],
    ['OPTIONS', 'cross-site', undefined, 204],
    ['OPTIONS', 'cross-site', { crossOrigin: true }, 200],
  ])('A4 responds to %s %s', async (method, site, config, status) => {
    const { url } = await start((_request, response) => response.json(1), config)
    const response = await fetch(`${url}/api/x`, { method, headers: { 'sec-fetch-site': site } })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('E6 responds to TRACE with 405 and Allow, for handlers and for other addresses', async () => {
    const { port } = await start((_request, response) => response.json(1), { crossOrigin: true })
    for (const [path, allow] of [
      ['/api/x', API_METHODS],
      ['/api/nothing', API_METHODS],
      ['/page', 'POST'],
    ]) {
      const response = await sendRaw(port, [`TRACE ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`])
      expect(response).toMatch(/^HTTP\/1\.1 405 /)
      expect(response).toContain(`\r\nallow: ${allow}\r\n`)
    }
  })

  it('G7 writes one line per request with the route, without the query', async () => {
    const { url, lines } = await start((_request, response) => response.json(1))
    await fetch(`${url}/api/x?secret=1`, { headers: { 'x-request-id': '0123456789abcdef' } })
    await expect.poll(() => lines.filter(({ event }) => event === 'request')).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({
      level: 'info',
      method: 'GET',
      path: '/api/x',
      status: 200,
      ms: expect.any(Number),
      requestId: '0123456789abcdef',
      kind: 'api',
      route: '/api/x',
    })
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('E4 responds to an exception as JSON with a digest and writes one line', async () => {
    const { url, lines } = await start(async () => {
      throw new Error('secret')
    })
    const response = await fetch(`${url}/api/x`)
    const { error } = (await response.json()) as { error: { title: string; digest: string } }
    expect([response.status, error.title]).toEqual([500, 'Internal Server Error'])
    expect(lines.filter((line) => line.digest === error.digest)).toHaveLength(1)
    expect(response.headers.get('portico-internal-digest')).toBe(error.digest)
  })

  it('E4 aborts a response that fails half way', async () => {
    const { port } = await start((_request, response) => {
      response.write('half')
      throw new Error('no')
    })
    const response = await sendRaw(port, ['GET /api/x HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n'])
    expect(response).not.toContain('0\r\n\r\n')
  })

  it('A8 counts no fault of the handler when a client disconnects while a response is piped', async () => {
    let end: (thrown: unknown) => void = () => {}
    const ended = new Promise<unknown>((done) => {
      end = done
    })
    const { port, lines } = await start(async (_request, response) => {
      const endless = new Readable({ read: () => void setTimeout(() => endless.push('x'.repeat(1000)), 1) })
      await pipeline(endless, response).catch((error: unknown) => {
        end(error)
        throw error
      })
    })
    const leaving = httpRequest({ port, host: '127.0.0.1', path: '/api/x' }, (response) =>
      response.once('data', () => leaving.destroy()),
    )
    leaving.on('error', () => {}).end()
    expect(await ended).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' })
    await new Promise((done) => setImmediate(done))
    expect(lines.filter(({ msg }) => msg === 'API handler failed')).toEqual([])
  })

  it('D3 accepts redirect() and notFound() as responses', async () => {
    const { url } = await start(({ query }) => (query.to ? redirect('/y') : notFound()))
    const moved = await fetch(`${url}/api/x?to=1`, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([307, '/y'])
    const missing = await fetch(`${url}/api/x`)
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { status: 404 } }])
  })

  it.each([
    ['never returns', () => new Promise(() => {})],
    ['returns without a response', () => {}],
  ])('A8 responds 504 when the handler %s', async (_name, handler) => {
    const { url } = await start(handler, { timeoutMs: 40 })
    expect((await fetch(`${url}/api/x`)).status).toBe(504)
  })

  it.each([
    [false, 'API handler returned without a response'],
    [true, 'API handler reached its time limit'],
  ])('A8 with externalResolver: %s the log says: %s', async (externalResolver, message) => {
    const { url, lines } = await start(() => {}, { timeoutMs: 40, api: { externalResolver } })
    await fetch(`${url}/api/x`)
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', route: '/api/x', msg: message }))
  })

  it.each([
    ['in one piece', (response: Response) => response.json('x'.repeat(9)), 11],
    ['in pieces', (response: Response) => response.end('x'.repeat(5), void response.write('x'.repeat(6))), 11],
    ['within the limit', (response: Response) => response.end('x'.repeat(10)), 10],
  ])('A8 sends a response longer than its responseLimit and logs one warning, %s', async (_how, respond, length) => {
    const { url, lines } = await start((_request, response) => respond(response), { api: { responseLimit: 10 } })
    expect(await (await fetch(`${url}/api/x`)).text()).toHaveLength(length)
    const warnings = lines.filter(({ level }) => level === 'warn')
    const warning = { route: '/api/x', limitBytes: 10, msg: 'API response is longer than its responseLimit' }
    expect(warnings).toEqual(length > 10 ? [expect.objectContaining(warning)] : [])
  })

  it('A8 continues a response that has begun after the time limit', async () => {
    const { url } = await start(
      async (_request, response) => {
        response.write('a')
        await new Promise((done) => setTimeout(done, 90))
        response.end('b')
      },
      { timeoutMs: 30 },
    )
    expect(await (await fetch(`${url}/api/x`)).text()).toBe('ab')
  })

  it('A8 accepts a response that arrives after the handler returned', async () => {
    const { url } = await start((_request, response) => {
      setTimeout(() => response.json('later'), 30)
    })
    expect(await (await fetch(`${url}/api/x`)).json()).toBe('later')
  })

  it('A8 keeps a connection for many requests', async () => {
    const { port } = await start((_request, response) => response.json(1))
    const { Agent } = await import('node:http')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (let n = 0; n < 3; n++)
      await new Promise<void>((done, fail) => {
        httpRequest({ port, host: '127.0.0.1', path: '/api/x', agent }, (response) => {
          ports.add(response.socket.localPort)
          response.resume().on('end', done)
        })
          .on('error', fail)
          .end()
      })
    agent.destroy()
    expect(ports.size).toBe(1)
  })
})
