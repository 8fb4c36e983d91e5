// API handlers through the service's port (A8).

import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ApiModule } from '../../shared/wire/bundles.ts'
import { notFound, redirect } from '../../shared/wire/control-flow.ts'
import { sendRaw } from '../testing/requests.ts'
import { currentContext, type StartOptions, startActions, type TestActions } from '../testing/start-actions.ts'
import type { ApiRequest } from './api-request.ts'
import type { ApiResponse } from './api-response.ts'

let service: TestActions | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

type Handler = (request: ApiRequest, response: ApiResponse) => unknown

function module(handler: Handler, config?: ApiModule['config']): ApiModule {
  // The service calls it with exactly these two.
  const api: ApiModule = { default: handler as ApiModule['default'] }
  return config ? { ...api, config } : api
}

async function start(handler: Handler, config?: ApiModule['config'], more: StartOptions = {}): Promise<TestActions> {
  service = await startActions({ api: { '/api/x': module(handler, config) }, ...more })
  return service
}

const SAME = { 'sec-fetch-site': 'same-origin' }

describe('the request of an API handler', () => {
  it('A8 has query, dynamic params, cookies and method', async () => {
    const handler: Handler = ({ query, cookies, method }, response) => response.json({ query, cookies, method })
    const api = {
      '/api/places/[slug]': module(handler),
      '/api/files/[...rest]': module(handler),
      '/api/[[...all]]': module(handler),
      '/api/places/new': module((_request, response) => response.json('static')),
    }
    service = await startActions({ api })
    const { url } = service
    const get = async (path: string) =>
      (await fetch(url + path, { headers: { cookie: 'a=1; b=%20; __proto__=x' } })).json()
    expect(await get('/api/places/a%20b?slug=c&tag=1&tag=2&__proto__=3&e=')).toEqual({
      query: { slug: 'a b', tag: ['1', '2'], ['__proto__']: '3', e: '' },
      cookies: { a: '1', b: ' ', ['__proto__']: 'x' },
      method: 'GET',
    })
    expect(await get('/api/files/a/b')).toMatchObject({ query: { rest: ['a', 'b'] } })
    expect(await get('/api')).toMatchObject({ query: {} })
    expect(await get('/api/places/new')).toBe('static')
  })

  it.each<[string, string | undefined, string | Buffer | undefined, unknown]>([
    ['JSON', 'application/json', '{"a":[1]}', { a: [1] }],
    ['JSON with a charset', 'application/json; charset=utf-8', '"ä"', 'ä'],
    ['JSON of another name', 'application/merge-patch+json', '{}', {}],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=2&b=3', { a: '1', b: ['2', '3'] }],
    ['text', 'text/plain', 'ä', 'ä'],
    ['bytes', 'application/octet-stream', Buffer.from([1, 255]), { bytes: [1, 255] }],
    ['nothing', undefined, undefined, { undefined: true }],
    ['an empty JSON body', 'application/json', '', { undefined: true }],
  ])('A8 has %s as its body', async (_name, type, body, expected) => {
    const { url } = await start(({ body: parsed }, response) => {
      if (Buffer.isBuffer(parsed)) return response.json({ bytes: [...parsed] })
      response.json(parsed === undefined ? { undefined: true } : parsed)
    })
    const headers: Record<string, string> = { ...SAME, ...(type === undefined ? {} : { 'content-type': type }) }
    const sent = typeof body === 'string' || body === undefined ? body : new Uint8Array(body)
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers, body: sent ?? null })
    expect(await response.json()).toEqual(expected)
  })

  it('A8 has multipart fields and files, which are deleted when the answer is sent', async () => {
    const { url, uploads } = await start(async ({ body }, response) => {
      const { name, file } = body as { name: string; file: File }
      response.json([name, file.name, await file.text()])
    })
    const form = new FormData()
    form.append('name', 'x')
    form.append('file', new File(['text'], 'f.txt'))
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: SAME, body: form })
    expect(await response.json()).toEqual(['x', 'f.txt', 'text'])
    await expect.poll(uploads).toEqual([])
  })

  it('A8 is left unread when the config turns the parser off', async () => {
    const { url } = await start(
      async (request, response) => {
        let length = 0
        for await (const chunk of request) length += (chunk as Buffer).length
        response.json({ body: request.body === undefined, length })
      },
      { bodyParser: false },
    )
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: SAME, body: '{broken' })
    expect(await response.json()).toEqual({ body: true, length: 7 })
  })

  it.each([
    ['application/json', '{', 400],
    ['application/json', '{"__proto__":{}}', 400],
    ['application/x-www-form-urlencoded', 'constructor=1', 400],
    ['multipart/form-data', 'x', 400],
  ])('E6 answers malformed %s with a 4xx in JSON', async (type, body, status) => {
    let calls = 0
    const { url } = await start(() => calls++)
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: { ...SAME, 'content-type': type }, body })
    expect([response.status, await response.json(), calls]).toEqual([status, { error: expect.anything() }, 0])
  })
})

describe('the response of an API handler', () => {
  it.each<[string, Handler, number, Record<string, string | null>, string]>([
    [
      'status and json',
      (_q, r) => r.status(201).json({ a: 1 }),
      201,
      { 'content-type': 'application/json; charset=utf-8' },
      '{"a":1}',
    ],
    [
      'a string',
      (_q, r) => r.send('<p>'),
      200,
      { 'content-type': 'text/html; charset=utf-8', 'content-length': '3' },
      '<p>',
    ],
    ['an object', (_q, r) => r.send([1]), 200, { 'content-type': 'application/json; charset=utf-8' }, '[1]'],
    ['bytes', (_q, r) => r.send(Buffer.from('b')), 200, { 'content-type': 'application/octet-stream' }, 'b'],
    [
      'a type of its own',
      (_q, r) => {
        r.setHeader('content-type', 'text/csv')
        r.send('a,b')
      },
      200,
      { 'content-type': 'text/csv' },
      'a,b',
    ],
    ['nothing', (_q, r) => r.status(204).send(null), 204, { 'content-length': null }, ''],
    ['a redirect', (_q, r) => r.redirect('/y'), 307, { location: '/y' }, ''],
    ['a redirect with a status', (_q, r) => r.redirect(303, '/y'), 303, { location: '/y' }, ''],
    [
      'a redirect that would leave the origin',
      (_q, r) => r.redirect('//evil.example'),
      307,
      { location: '/evil.example' },
      '',
    ],
    [
      "Node's own",
      (_q, r) => {
        r.writeHead(202, { 'x-a': 'b' })
        r.write('1')
        r.end('2')
      },
      202,
      { 'x-a': 'b' },
      '12',
    ],
    [
      'a cache rule of its own',
      (_q, r) => {
        r.setHeader('cache-control', 'public, max-age=5')
        r.json(1)
      },
      200,
      { 'cache-control': 'public, max-age=5' },
      '1',
    ],
    ['the default cache rule', (_q, r) => r.json(1), 200, { 'cache-control': 'private, no-store' }, '1'],
  ])('A8 sends %s', async (_name, handler, status, headers, body) => {
    const { url } = await start(handler)
    const response = await fetch(`${url}/api/x`, { redirect: 'manual' })
    expect([response.status, await response.text()]).toEqual([status, body])
    for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value)
  })

  it('A8 adds the cookies that were set, also to a streamed answer', async () => {
    const { url } = await start((request, response) => {
      currentContext().setCookies.push('a=1')
      response.setHeader('set-cookie', 'own=1')
      if (request.query.stream) response.write('x')
      response.end()
    })
    for (const query of ['', '?stream=1'])
      expect((await fetch(`${url}/api/x${query}`)).headers.getSetCookie()).toEqual(['own=1', 'a=1'])
  })

  it('A8 streams events as they are written', async () => {
    let next = () => {}
    const { url } = await start(async (_request, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.flush()
      for (let n = 0; n < 3; n++) {
        response.write(`data: ${n}\n\n`)
        await new Promise<void>((done) => {
          next = done
        })
      }
      response.end()
    })
    const response = await fetch(`${url}/api/x`)
    const reader = response.body?.getReader()
    for (let n = 0; n < 3; n++) {
      const { value } = (await reader?.read()) ?? {}
      expect(Buffer.from(value ?? []).toString()).toBe(`data: ${n}\n\n`)
      next()
    }
    expect((await reader?.read())?.done).toBe(true)
  })

  it('O5 ends event streams, and nothing else, when the service is about to stop', async () => {
    const draining = new AbortController()
    const open = (type: string): ApiModule =>
      module((_request, response) => {
        response.setHeader('content-type', type)
        response.write('data: 1\n\n')
        currentContext().signal.addEventListener('abort', () => ended.push(type))
      })
    const ended: string[] = []
    service = await startActions({
      api: { '/api/events': open('text/event-stream'), '/api/file': open('text/plain') },
      draining: draining.signal,
    })
    const [events, file] = await Promise.all(['events', 'file'].map((name) => fetch(`${service?.url}/api/${name}`)))
    draining.abort()
    expect(await events?.text()).toBe('data: 1\n\n')
    expect(ended).toEqual(['text/event-stream'])
    await file?.body?.cancel()
  })

  it('A8 answers HEAD without a body, with the headers of GET', async () => {
    const { url } = await start((_request, response) => response.json({ a: 1 }))
    const response = await fetch(`${url}/api/x`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '7', ''])
  })

  it('A8 tells the handler that the visitor left', async () => {
    let isAborted = false
    const { port } = await start((_request, response) => {
      currentContext().signal.addEventListener('abort', () => {
        isAborted = true
      })
      response.write('x')
    })
    await sendRaw(port, ['GET /api/x HTTP/1.1\r\nhost: h\r\n\r\n'], { cut: true })
    await expect.poll(() => isAborted).toBe(true)
  })

  it('D6 publishes invalidations before the answer ends', async () => {
    const { url, renderer } = await start((_request, response) => {
      currentContext().revalidations?.tags.add('t')
      response.json('sent')
    })
    await fetch(`${url}/api/x`)
    expect(renderer.revalidations).toEqual([{ paths: [], tags: ['t'] }])
  })
})

describe('an API route', () => {
  it('A8 answers 404 as JSON where there is none', async () => {
    const { url } = await start(() => {})
    const response = await fetch(`${url}/api/nope`)
    expect([response.status, await response.json()]).toMatchObject([404, { error: { status: 404 } }])
  })

  it('R3 answers 400 to a malformed path', async () => {
    const { url } = await start(() => {})
    expect((await fetch(`${url}/api/%zz`)).status).toBe(400)
  })

  it('A8 lies below the basePath', async () => {
    const { url } = await start((_request, response) => response.json(1), undefined, { basePath: '/base' })
    expect((await fetch(`${url}/base/api/x`)).status).toBe(200)
    expect((await fetch(`${url}/api/x`)).status).toBe(405)
  })

  it('N4 is no page: /apiary is not under /api', async () => {
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
  ])('A4 answers %s %s', async (method, site, config, status) => {
    const { url } = await start((_request, response) => response.json(1), config)
    const response = await fetch(`${url}/api/x`, { method, headers: { 'sec-fetch-site': site } })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('E4 answers an exception as JSON with a digest and writes one line', async () => {
    const { url, lines } = await start(async () => {
      throw new Error('secret')
    })
    const response = await fetch(`${url}/api/x`)
    const { error } = await response.json()
    expect([response.status, error.title]).toEqual([500, 'Internal Server Error'])
    expect(lines.filter((line) => line.digest === error.digest)).toHaveLength(1)
    expect(response.headers.get('portico-internal-digest')).toBe(error.digest)
  })

  it('E4 breaks an answer off that fails half way', async () => {
    const { port } = await start((_request, response) => {
      response.write('half')
      throw new Error('no')
    })
    const answer = await sendRaw(port, ['GET /api/x HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n'])
    expect(answer).not.toContain('0\r\n\r\n')
  })

  it('D3 takes redirect() and notFound() as answers', async () => {
    const { url } = await start(({ query }) => (query.to ? redirect('/y') : notFound()))
    const moved = await fetch(`${url}/api/x?to=1`, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([307, '/y'])
    const missing = await fetch(`${url}/api/x`)
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { status: 404 } }])
  })

  it.each([
    ['never returns', () => new Promise(() => {})],
    ['returns without an answer', () => {}],
  ])('A8 answers 504 when the handler %s', async (_name, handler) => {
    const { url } = await start(handler, { timeoutMs: 40 })
    expect((await fetch(`${url}/api/x`)).status).toBe(504)
  })

  it('A8 lets an answer that has begun go on after the time limit', async () => {
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

  it('A8 takes an answer that comes after the handler returned', async () => {
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
