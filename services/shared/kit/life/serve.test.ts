import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http'
import { Registry } from '@prometheus-io/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../observe/log.ts'
import { createFixedKeyring } from '../secrets/keyring.ts'
import { freePort } from './free-port.ts'
import { type Service, startService } from './serve.ts'
import { CannotServeError } from './warm-up.ts'

type ServiceOptions = Parameters<typeof startService>[0]

const TOKEN = 't'.repeat(32)
const started: Service[] = []
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop()
})

const errors: unknown[] = []
// The methods of the log that a service's life uses.
const log = { info() {}, error: (fields: unknown) => errors.push(fields) } as unknown as Log

async function start(handler: RequestListener, changes: Partial<ServiceOptions> = {}): Promise<Service> {
  const service = await startService({
    log,
    listeners: [{ name: 'public', host: '127.0.0.1', port: 0, handler }],
    inner: { host: '127.0.0.1', port: 0, token: createFixedKeyring([TOKEN]) },
    drain: { delayMs: 0, deadlineMs: 2000 },
    ...changes,
  })
  started.push(service)
  return service
}
const at = (service: Service, name: string, path: string) => `http://127.0.0.1:${service.ports[name]}${path}`
const hello: RequestListener = (_request, response) => response.end('hello')

describe('probes', () => {
  it('O4 is live during the warm-up, and ready after it', async () => {
    let warmed: () => void = () => {}
    const warm = new Promise<void>((done) => {
      warmed = done
    })
    const port = await freePort()
    const starting = start(hello, { inner: { host: '127.0.0.1', port }, warm: () => warm })
    const probe = async (path: string) => {
      for (let attempt = 0; ; attempt++)
        try {
          return await fetch(`http://127.0.0.1:${port}${path}`)
        } catch (error) {
          // The listener opens a moment later.
          if (attempt === 50) throw error
          await new Promise((done) => setTimeout(done, 10))
        }
    }
    expect((await probe('/livez')).status).toBe(200)
    const waiting = await probe('/readyz')
    expect([waiting.status, await waiting.json()]).toMatchObject([503, { ready: false, waiting: ['warming'] }])
    warmed()
    await starting
    expect((await probe('/readyz')).status).toBe(200)
  })

  it('O4 reports why it is not ready, and then that it is', async () => {
    let reasons = ['state store away']
    const service = await start(hello, { notReady: () => reasons })
    const ready = () => fetch(at(service, 'inner', '/readyz'))
    expect(await (await ready()).json()).toMatchObject({ ready: false, waiting: ['state store away'] })
    reasons = []
    expect((await ready()).status).toBe(200)
  })

  it('W8 names its version, ready or not', async () => {
    let reasons = ['draining']
    const inner = { host: '127.0.0.1', port: 0, version: 'b1.e1' }
    const service = await start(hello, { inner, notReady: () => reasons })
    const read = async () => (await fetch(at(service, 'inner', '/readyz'))).json()
    expect(await read()).toMatchObject({ ready: false, waiting: reasons, version: 'b1.e1' })
    reasons = []
    expect(await read()).toMatchObject({ ready: true, waiting: [], version: 'b1.e1' })
  })

  it('O4 shows its metrics on the inner port only', async () => {
    const service = await start(hello, { inner: { host: '127.0.0.1', port: 0, metrics: new Registry() } })
    const response = await fetch(at(service, 'inner', '/metrics'))
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/plain'),
    ])
    expect(await (await fetch(at(service, 'public', '/metrics'))).text()).toBe('hello')
  })

  it('O4 opens public listeners after the warm-up, and listeners that others need before it', async () => {
    const [port, sitePort, innerPort] = [await freePort(), await freePort(), await freePort()]
    const faults = [new Error('the cache is away')]
    const seen: Record<string, unknown>[] = []
    const host = '127.0.0.1'
    const look = (one: number, path = '/') =>
      fetch(`http://${host}:${one}${path}`).then(
        (response) => response.text(),
        () => 'refused',
      )
    const service = await start(hello, {
      listeners: [
        { name: 'public', host, port, handler: hello },
        { name: 'site', host, port: sitePort, handler: hello, opensBeforeWarmUp: true },
      ],
      inner: { host, port: innerPort },
      warm: async () => {
        seen.push({ public: await look(port), site: await look(sitePort), ready: await look(innerPort, '/readyz') })
        const fault = faults.shift()
        if (fault) throw fault
      },
    })
    const waiting = (reason: string) => expect.stringContaining(`"waiting":["${reason}"]`)
    expect(seen).toEqual([
      { public: 'refused', site: 'hello', ready: waiting('warming') },
      { public: 'refused', site: 'hello', ready: waiting('warming: the cache is away') },
    ])
    expect(await look(port)).toBe('hello')
    expect(service.ports).toEqual({ public: port, site: sitePort, inner: innerPort })
    expect((await fetch(at(service, 'inner', '/readyz'))).status).toBe(200)
  })

  it('O4 a service that can never serve, or cannot listen, does not start, and releases its ports and what it opened', async () => {
    let closed = 0
    const close = async () => void closed++
    const port = await freePort()
    const listeners = [{ name: 'public', host: '127.0.0.1', port, handler: hello }]
    const warm = () => Promise.reject(new CannotServeError('no bundle'))
    await expect(start(hello, { warm, listeners, close })).rejects.toThrow('no bundle')
    await start(hello, { listeners })
    let warmed = false
    const never = async () => {
      warmed = true
    }
    await expect(start(hello, { listeners, warm: never, close })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port} (public): the port is in use`,
    )
    expect([warmed, closed]).toEqual([false, 2])
  })
})

describe('control endpoints', () => {
  const bodies: unknown[] = []
  const control = () =>
    start(hello, {
      inner: {
        host: '127.0.0.1',
        port: 0,
        token: createFixedKeyring([TOKEN]),
        routes: [
          {
            method: 'POST',
            path: '/internal/purge',
            bodyLimitBytes: 100,
            handler: async (body, _request, response) => {
              if (body === 'fail') throw new Error('broken')
              bodies.push(body)
              response.end('done')
            },
          },
        ],
      },
    })
  const authorization = `Bearer ${TOKEN}`
  const post = (service: Service, headers: Record<string, string>, body?: string) =>
    fetch(at(service, 'inner', '/internal/purge'), { method: 'POST', headers, ...(body !== undefined && { body }) })

  it.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: `Bearer ${'x'.repeat(32)}` }, 401],
    ['a longer token', { authorization: `${authorization}t` }, 401],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, 401],
    ['an Origin', { authorization, origin: 'http://localhost' }, 403],
    ['a null Origin', { authorization, origin: 'null' }, 403],
  ])('O9 refuses a request with %s', async (_what, headers, status) => {
    bodies.length = 0
    const response = await post(await control(), headers as Record<string, string>, '{}')
    expect(response.status).toBe(status)
    expect(bodies).toEqual([])
  })

  it('O9 every control request is refused without a token', async () => {
    const route = { method: 'POST' as const, path: '/internal/purge', handler: async () => {} }
    const service = await start(hello, { inner: { host: '127.0.0.1', port: 0, routes: [route] } })
    const response = await post(service, { authorization: 'Bearer ' })
    expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('STACK_TOKEN is not set')])
  })

  it('O9 reads JSON, or nothing, within the limit', async () => {
    const service = await control()
    bodies.length = 0
    expect((await post(service, { authorization }, '{"a":1}')).status).toBe(200)
    expect((await post(service, { authorization })).status).toBe(200)
    expect(bodies).toEqual([{ a: 1 }, undefined])
    expect((await post(service, { authorization }, '{"a":')).status).toBe(400)
    for (const length of [200, 5_000_000]) {
      const large = await post(service, { authorization }, JSON.stringify('x'.repeat(length)))
      const error = { limit: 100, received: length + 2 }
      expect([large.status, await large.json()]).toMatchObject([413, { error }])
    }
  })

  it('O9 other paths and methods are not found, a fault is logged and a 500', async () => {
    const service = await control()
    expect((await fetch(at(service, 'inner', '/internal/purge'))).status).toBe(404)
    expect((await fetch(at(service, 'inner', '/'))).status).toBe(404)
    expect((await fetch(at(service, 'public', '/readyz'))).status).toBe(200)
    errors.length = 0
    expect((await post(service, { authorization }, '"fail"')).status).toBe(500)
    expect(errors).toHaveLength(1)
  })
})

describe('draining', () => {
  it('O5 is not ready, serves for the delay, and sends Connection: close', async () => {
    const service = await start(hello, { drain: { delayMs: 200, deadlineMs: 2000 } })
    const before = await fetch(at(service, 'public', '/'))
    expect(before.headers.get('connection')).toBe('keep-alive')
    const stopped = service.stop()
    const ready = await fetch(at(service, 'inner', '/readyz'))
    expect(await ready.json()).toMatchObject({ ready: false, waiting: ['draining'] })
    const during = await fetch(at(service, 'public', '/'))
    expect([during.status, during.headers.get('connection')]).toEqual([200, 'close'])
    expect(await stopped).toEqual({ finished: true })
    await expect(fetch(at(service, 'public', '/'))).rejects.toThrow()
  })

  it('O5 finishes running requests before it releases resources', async () => {
    const order: string[] = []
    let arrived: () => void = () => {}
    const running = new Promise<void>((done) => {
      arrived = done
    })
    const service = await start(
      (_request, response) => {
        arrived()
        setTimeout(() => {
          order.push('responded')
          response.end('late')
        }, 150)
      },
      { close: async () => void order.push('closed') },
    )
    const agent = new Agent({ keepAlive: true })
    const request = get(at(service, 'public', '/'), { agent })
    await running
    const stopped = service.stop()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    expect(await stopped).toEqual({ finished: true })
    expect(order).toEqual(['responded', 'closed'])
    agent.destroy()
  })

  it('O5 ends at the deadline with a request that never finishes', async () => {
    let arrived: () => void = () => {}
    const running = new Promise<void>((done) => {
      arrived = done
    })
    const service = await start(() => arrived(), { drain: { delayMs: 0, deadlineMs: 150 } })
    const lost = fetch(at(service, 'public', '/')).catch((error: unknown) => error)
    await running
    const began = performance.now()
    expect(await service.stop()).toEqual({ finished: false })
    expect(performance.now() - began).toBeLessThan(1500)
    expect(await lost).toBeInstanceOf(Error)
  })
})
