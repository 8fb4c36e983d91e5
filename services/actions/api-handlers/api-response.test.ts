// The response of an API handler, through the service's port (A8).

import { request } from 'node:http'
import { Readable } from 'node:stream'
import type { ApiModule } from '@portico/shared/wire/bundles.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { sendRaw } from '../testing/requests.ts'
import { currentContext, startActions, type TestActions } from '../testing/start-actions.ts'
import { apiModule, type Handler, startApi } from '../testing/start-api.ts'

let service: TestActions | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

async function start(...options: Parameters<typeof startApi>): Promise<TestActions> {
  service = await startApi(...options)
  return service
}

describe('the response of an API handler', () => {
  it.each<[string, Handler]>([
    ['setHeader', (_q, r) => r.setHeader('Portico-Internal-Cache', 'HIT')],
    ['appendHeader', (_q, r) => r.appendHeader('portico-internal-route', '/admin')],
    ['setHeaders', (_q, r) => r.setHeaders(new Map([['portico-internal-digest', 'x']]))],
    ['writeHead', (_q, r) => r.writeHead(200, { 'portico-internal-code': 'internal' })],
    ['writeHead with a list', (_q, r) => r.writeHead(200, ['portico-internal-code', 'internal'])],
  ])('G1 A8 a header of the framework in %s fails the handler, by name', async (_, set) => {
    const { url, lines } = await start((request, response) => {
      set(request, response)
      response.json({})
    })
    const response = await fetch(`${url}/api/x`)
    expect([response.status, response.headers.get('portico-internal-code')]).toEqual([500, 'internal'])
    expect(response.headers.get('portico-internal-cache')).toBeNull()
    expect(JSON.stringify(lines)).toMatch(/the header portico-internal-\w+ is not allowed/)
  })

  it('A8 X7 a stream that fails before its first byte is a logged 500, and one whose client leaves is destroyed', async () => {
    const streams: Readable[] = []
    const { url, port, lines } = await start(({ query }, response) => {
      const stream = new Readable({
        read: () => void (query.ends ? stream.destroy(new Error('no disk')) : setTimeout(() => stream.push('x'), 1)),
      })
      streams.push(stream)
      response.send(stream)
    })
    expect((await fetch(`${url}/api/x?ends=1`)).status).toBe(500)
    expect(lines.filter(({ msg }) => msg === 'API handler failed')).toHaveLength(1)
    const leaving = request({ port, host: '127.0.0.1', path: '/api/x' }, (response) =>
      response.once('data', () => leaving.destroy()),
    )
    leaving.on('error', () => {}).end()
    await expect.poll(() => streams[1]?.destroyed).toBe(true)
    expect(lines.filter(({ msg }) => msg === 'API handler failed')).toHaveLength(1)
  })

  it('A8 a handler may have several streams and listeners on it, without warnings of Node', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error) => void warnings.push(message)
    process.on('warning', note)
    const { url } = await start((_request, response) => {
      for (let count = 0; count < 11; count++) response.on('close', () => {})
      response.send('a')
    })
    expect(await (await fetch(`${url}/api/x`)).text()).toBe('a')
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

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
      'a stream',
      (_q, r) => r.send(Readable.from(['a', 'b'])),
      200,
      { 'content-type': 'application/octet-stream' },
      'ab',
    ],
    [
      'its own type',
      (_q, r) => {
        r.setHeader('content-type', 'text/csv')
        r.send('a,b')
      },
      200,
      { 'content-type': 'text/csv' },
      'a,b',
    ],
    ['nothing', (_q, r) => r.status(204).send(null), 204, { 'content-length': null }, ''],
    [
      'a redirect',
      (_q, r) => r.redirect('/y?a=1'),
      307,
      { location: '/y?a=1', 'content-type': 'text/plain; charset=utf-8' },
      '/y?a=1',
    ],
    ['a redirect with a status', (_q, r) => r.redirect(303, '/y'), 303, { location: '/y' }, '/y'],
    ['204 without the body and its headers', (_q, r) => r.status(204).json({}), 204, { 'content-type': null }, ''],
    [
      'a redirect that would leave the origin',
      (_q, r) => r.redirect('//evil.example'),
      307,
      { location: '/evil.example' },
      '/evil.example',
    ],
    [
      'a redirect whose dots would leave the origin',
      (_q, r) => r.redirect('/.//evil.example'),
      307,
      { location: '/evil.example' },
      '/evil.example',
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
      'its own cache rule',
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

  it('A8 adds the cookies that were set, also to a streamed response', async () => {
    const { url } = await start((request, response) => {
      currentContext().setCookies.push('a=1')
      response.setHeader('set-cookie', 'own=1')
      if (request.query.stream) response.write('x')
      response.end()
    })
    for (const query of ['', '?stream=1'])
      expect((await fetch(`${url}/api/x${query}`)).headers.getSetCookie()).toEqual(['own=1', 'a=1'])
  })

  it('X7 getHeader returns the cookies as a list, also a single one', async () => {
    const { url } = await start((_request, response) => {
      response.setHeader('Set-Cookie', 'own=1')
      response.json(response.getHeader('set-cookie'))
    })
    expect(await (await fetch(`${url}/api/x`)).json()).toEqual(['own=1'])
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
    const open = (type: string): ApiModule =>
      apiModule((_request, response) => {
        response.writeHead(200, { 'content-type': type })
        response.write('data: 1\n\n')
        currentContext().signal.addEventListener('abort', () => ended.push(type))
      })
    const ended: string[] = []
    service = await startActions({
      api: { '/api/events': open('text/event-stream'), '/api/file': open('text/plain') },
    })
    const [events, file] = await Promise.all(['events', 'file'].map((name) => fetch(`${service?.url}/api/${name}`)))
    service.drain()
    expect(await events?.text()).toBe('data: 1\n\n')
    expect(ended).toEqual(['text/event-stream'])
    await file?.body?.cancel()
    // An idle connection may still send requests.
    const again = await fetch(`${service.url}/api/events`)
    expect(await again.text()).toBe('data: 1\n\n')
  })

  it('A8 responds to HEAD without a body, with the headers of GET', async () => {
    const { url } = await start((_request, response) => response.json({ a: 1 }))
    const response = await fetch(`${url}/api/x`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '7', ''])
  })

  it.each(['json', 'own'])('A8 responds with 304 to the entity tag of the body, %s', async (from) => {
    const { url } = await start((request, response) => {
      if (from === 'own') response.setHeader('etag', '"own"')
      response.status(Number(request.query.status ?? 200)).json({ a: 1 })
    })
    const first = await fetch(`${url}/api/x`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(from === 'own' ? /^"own"$/ : /^"[\w-]{27}"$/)
    const again = (init?: RequestInit, query = '') =>
      fetch(`${url}/api/x${query}`, { ...init, headers: { 'if-none-match': etag } })
    const held = await again()
    expect([held.status, held.headers.get('etag'), held.headers.get('content-type')]).toEqual([304, etag, null])
    expect((await again({ method: 'HEAD' })).status).toBe(304)
    expect((await again({}, '?status=201')).status).toBe(201)
    expect((await again({ method: 'POST' })).status).toBe(200)
  })

  it('A8 notifies the handler when the client closes the connection', async () => {
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

  it('D6 publishes invalidations before the response ends', async () => {
    const { url, renderer } = await start((_request, response) => {
      currentContext().revalidations?.tags.add('t')
      response.json('sent')
    })
    await fetch(`${url}/api/x`)
    expect(renderer.invalidations).toMatchObject([{ paths: [], tags: ['t'] }])
  })
})

describe('the response of a handler that reads a session', () => {
  const PUBLIC = { 'Cache-Control': 'public, s-maxage=60', 'CDN-Cache-Control': 'max-age=60' }
  it.each<[string, Handler]>([
    [
      'headers before',
      (_q, r) => r.setHeaders(new Map(Object.entries(PUBLIC))) && currentContext().onSession?.('read'),
    ],
    ['headers after', (_q, r) => currentContext().onSession?.('read') ?? r.setHeaders(new Map(Object.entries(PUBLIC)))],
    ['writeHead', (_q, r) => currentContext().onSession?.('read') ?? r.writeHead(200, PUBLIC)],
  ])('C1 is kept by no cache: %s', async (_, run) => {
    const { url } = await start((request, response) => {
      run(request, response)
      response.end('x')
    })
    const { headers } = await fetch(`${url}/api/x`)
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('cdn-cache-control')).toBeNull()
    expect(headers.get('portico-session')).toBeNull()
  })

  it('P4 reports a change of the session to the browser', async () => {
    const { url } = await start((_request, response) => {
      currentContext().onSession?.('changed')
      response.json({})
    })
    expect((await fetch(`${url}/api/x`)).headers.get('portico-session')).toBe('changed')
  })

  it('A8 sends cookies of before the head; a later one cannot be added', async () => {
    let isFrozen: boolean | undefined
    const { url } = await start((_request, response) => {
      const { setCookies } = currentContext()
      setCookies.push('a=1')
      response.write('x')
      isFrozen = Object.isFrozen(setCookies)
      response.end()
    })
    expect((await fetch(`${url}/api/x`)).headers.getSetCookie()).toEqual(['a=1'])
    expect(isFrozen).toBe(true)
  })
})
