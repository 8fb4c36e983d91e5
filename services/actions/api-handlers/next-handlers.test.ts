// What API handlers of Next.js expect, through the service's port (X7).

import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ApiModule } from '@portico/shared/wire/bundles.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import { describe, expect, it } from 'vitest'
import { sendRaw } from '../testing/requests.ts'
import { currentContext, useActions } from '../testing/start-actions.ts'
import { apiModule, type Handler } from '../testing/start-api.ts'

const startActions = useActions()
const SAME = { 'sec-fetch-site': 'same-origin' }

const semantics: Semantics = { apiBody: true, apiCaching: true, apiConfig: true, apiOptions: true }
const start = (handler: Handler, config?: ApiModule['config']) =>
  startActions({ api: { '/api/x': apiModule(handler, config) }, semantics })

/** As packages for CORS do: the middleware responds to the preflight, and passes any other request on. */
const cors = (request: Parameters<Handler>[0], response: Parameters<Handler>[1], next: (fault?: unknown) => void) => {
  response.setHeader('Access-Control-Allow-Origin', String(request.headers.origin))
  response.appendHeader('Vary', 'Origin')
  if (request.method !== 'OPTIONS') return next()
  response.setHeader('Access-Control-Allow-Methods', 'GET,POST')
  response.statusCode = 204
  response.setHeader('Content-Length', '0')
  response.end()
}

describe('a handler of Next.js', () => {
  it('X7 says by itself what caches may keep: its response has no Cache-Control but its own', async () => {
    const handler: Handler = (request, response) => {
      if (request.query.own) response.setHeader('Cache-Control', 's-maxage=10')
      if (request.query.session) currentContext().onSession?.('read')
      response.json(1)
    }
    const { url } = await start(handler)
    const ruleOf = async (search: string) => (await fetch(`${url}/api/x${search}`)).headers.get('cache-control')
    expect([await ruleOf(''), await ruleOf('?own=1')]).toEqual([null, 's-maxage=10'])
    // Those of a session, as everywhere.
    expect(await ruleOf('?session=1')).toBe('private, no-store')
    expect(await ruleOf('?own=1&session=1')).toBe('private, no-store')
    const other = await startActions({ api: { '/api/x': apiModule(handler) } })
    expect((await fetch(`${other.url}/api/x`)).headers.get('cache-control')).toBe('private, no-store')
  })

  it.each([undefined, { crossOrigin: true }])(
    'X7 responds to OPTIONS through a CORS middleware, with %j',
    async (config) => {
      const { url } = await start(async (request, response) => {
        await new Promise<void>((done, fail) => {
          response.on('finish', done)
          cors(request, response, (fault) => (fault ? fail(fault) : done()))
        })
        if (!response.writableEnded) response.json({ isSent: response.headersSent })
      }, config)
      const from = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }
      const preflight = await fetch(`${url}/api/x`, { method: 'OPTIONS', headers: from })
      expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET,POST'])
      const read = await fetch(`${url}/api/x`, { headers: from })
      expect(read.headers.get('access-control-allow-origin')).toBe('https://other.example')
      expect(await read.json()).toEqual({ isSent: false })
      const posted = await fetch(`${url}/api/x`, { method: 'POST', headers: from })
      expect(posted.status).toBe(config ? 200 : 403)
    },
  )

  it.each<[string, string | undefined, unknown]>([
    ['application/json', '', {}],
    ['application/json', undefined, {}],
    ['application/x-www-form-urlencoded', undefined, {}],
    [undefined as never, undefined, ''],
    [undefined as never, 'text', 'text'],
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/ld+json', '{"a":1}', { a: 1 }],
    ['application/vnd.api+json', '{"a":1}', '{"a":1}'],
    ['application/xml', '<a/>', '<a/>'],
    ['text/html', '<a/>', '<a/>'],
    ['application/octet-stream', 'bytes', 'bytes'],
    ['application/octet-stream', undefined, ''],
    ['text/csv; charset=utf-16le', 'a\0', 'a'],
  ])('X7 has with type %j and content %j the body %j', async (type, content, body) => {
    const { port } = await start((request, response) => response.json({ body: request.body }))
    const lines = [
      'POST /api/x HTTP/1.1',
      'host: h',
      'connection: close',
      ...(type === undefined ? [] : [`content-type: ${type}`]),
      ...(content === undefined ? [] : [`content-length: ${content.length}`]),
    ]
    const response = await sendRaw(port, [`${lines.join('\r\n')}\r\n\r\n${content ?? ''}`])
    expect(response).toContain(JSON.stringify({ body }))
  })

  it.each([
    [undefined, true],
    [{ api: { responseLimit: false } }, false],
  ])('X7 logs a response longer than 4 MiB, with the config %j', async (config, isLogged) => {
    const { url, lines } = await start((_request, response) => response.send(Buffer.alloc(4_194_305)), config)
    await (await fetch(`${url}/api/x`)).arrayBuffer()
    expect(lines.some(({ limitBytes }) => limitBytes === 4_194_304)).toBe(isLogged)
  })

  it('X7 has text with replacements for bytes that are no text, and 400 for an unknown charset', async () => {
    const { url } = await start((request, response) => response.json({ body: request.body }))
    const post = (type: string) =>
      fetch(`${url}/api/x`, {
        method: 'POST',
        headers: { ...SAME, 'content-type': type },
        body: new Uint8Array([0xff]),
      })
    expect(await (await post('image/png')).json()).toEqual({ body: '\ufffd' })
    expect((await post('text/plain; charset=none')).status).toBe(400)
  })

  it('X7 reads the raw body by events', async () => {
    const { url } = await start(
      (request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => response.send(Buffer.concat(chunks)))
      },
      { api: { bodyParser: false, externalResolver: true } },
    )
    const response = await fetch(`${url}/api/x`, { method: 'POST', headers: SAME, body: '{raw' })
    expect(await response.text()).toBe('{raw')
  })

  it('X7 G5 reads the address and the encryption of the client', async () => {
    const { url } = await start(({ socket }, response) => {
      const { remoteAddress, remotePort, remoteFamily } = socket
      response.json([
        remoteAddress,
        remotePort ?? null,
        remoteFamily,
        Reflect.get(socket, 'encrypted'),
        socket.writable,
      ])
    })
    const headers = { 'x-forwarded-for': '2001:db8::7', 'x-forwarded-proto': 'https' }
    expect(await (await fetch(`${url}/api/x`, { headers })).json()).toEqual(['2001:db8::7', null, 'IPv6', true, true])
  })

  it('X7 C5 res.revalidate() publishes before it resolves, and refuses what is no path', async () => {
    const published: unknown[] = []
    const { url, renderer } = await start(async ({ query }, response) => {
      await response.revalidate(String(query.path))
      published.push(...renderer.invalidations.map(({ paths }) => paths))
      response.json({ revalidated: true })
    })
    expect((await fetch(`${url}/api/x?path=/posts/1`)).status).toBe(200)
    expect(published).toEqual([['/posts/1']])
    expect((await fetch(`${url}/api/x?path=posts`)).status).toBe(500)
  })
})

type EdgeHandler = (request: Request, more: { waitUntil: (work: Promise<unknown>) => void }) => unknown

describe('a handler of the edge runtime', () => {
  // The type of a handler is that of Node.
  const edge = (handler: EdgeHandler): ApiModule => ({ ...apiModule(handler as never), runtime: 'edge' })
  const serve = (handler: EdgeHandler, pattern = '/api/x') =>
    startActions({ api: { [pattern]: edge(handler) }, semantics })

  it('X7 is called with a Request whose URL has the dynamic parameters, and returns the Response', async () => {
    const { url } = await serve(async (request) => {
      const { searchParams, pathname } = new URL(request.url)
      const headers = new Headers({ 'cache-control': 'public, max-age=5', 'content-encoding': 'gzip' })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      const body = [request.method, pathname, [...searchParams], await request.text(), request.headers.get('x-a')]
      return Response.json(body, { status: 201, headers })
    }, '/api/[...rest]')
    const response = await fetch(`${url}/api/p/q?rest=z&c=1`, {
      method: 'PUT',
      headers: { ...SAME, 'x-a': 'b' },
      body: 'in',
    })
    expect([response.status, response.headers.getSetCookie()]).toEqual([201, ['a=1', 'b=2']])
    expect(response.headers.get('cache-control')).toBe('public, max-age=5')
    const query = [
      ['c', '1'],
      ['rest', 'p'],
      ['rest', 'q'],
    ]
    expect(await response.json()).toEqual(['PUT', '/api/p/q', query, 'in', 'b'])
  })

  it('X7 fails for a response that is for middleware, and says so', async () => {
    const { url, lines } = await serve(() => new Response(null, { headers: { 'x-middleware-next': '1' } }))
    expect((await fetch(`${url}/api/x`)).status).toBe(500)
    expect(JSON.stringify(lines)).toContain('NextResponse.next() and rewrite() are for middleware')
  })

  it('X7 streams, and responds to HEAD and with 204 without a body', async () => {
    const { url } = await serve(({ method }) => {
      if (method === 'DELETE') return new Response(null, { status: 204 })
      return new Response(Readable.toWeb(Readable.from([Buffer.from('a'), Buffer.from('b')])) as never)
    })
    const send = (method: string) => fetch(`${url}/api/x`, { method, headers: SAME })
    expect(await (await send('GET')).text()).toBe('ab')
    expect((await send('HEAD')).status).toBe(200)
    expect((await send('DELETE')).status).toBe(204)
  })

  it('X7 E4 fails for a body that fails before its first bytes, and shows no headers of the Response', async () => {
    const { url, lines } = await serve(() => {
      const body = new ReadableStream({ pull: () => Promise.reject(new Error('not drawn')) }, { highWaterMark: 0 })
      return new Response(body, { headers: { 'cache-control': 'public, max-age=60', 'content-type': 'image/png' } })
    })
    const response = await fetch(`${url}/api/x`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([500, 'private, no-store'])
    expect(await response.json()).toMatchObject({ error: { code: 'internal' } })
    expect(JSON.stringify(lines)).toContain('not drawn')
  })

  it('X7 cancels a body without bytes when the client disconnects', async () => {
    const begun = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const pull = () => {
      begun.resolve()
      return new Promise<void>(() => {})
    }
    const body = () => new ReadableStream({ pull, cancel: () => cancelled.resolve() }, { highWaterMark: 0 })
    const { port, lines } = await startActions({ api: { '/api/x': edge(() => new Response(body())) }, semantics })
    const outgoing = request({ port, path: '/api/x' }).on('error', () => {})
    outgoing.end()
    await begun.promise
    outgoing.destroy()
    await cancelled.promise
    await expect.poll(() => lines.map(({ event, status }) => [event, status])).toEqual([['request', 499]])
  })

  it('X7 keeps no request of its connection waiting when it does not read the body', async () => {
    const { port } = await startActions({ api: { '/api/x': edge(() => new Response('sent')) }, semantics })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const post = async (bytes: number) => {
      const outgoing = request({ port, agent, path: '/api/x', method: 'POST', headers: SAME })
      outgoing.end(Buffer.alloc(bytes))
      const [response] = await once(outgoing, 'response')
      return text(response)
    }
    expect([await post(5_000_000), await post(1)]).toEqual(['sent', 'sent'])
    agent.destroy()
  }, 3000)

  it('X7 E4 has no fault when the client disconnects while it reads the body', async () => {
    const begun = Promise.withResolvers<void>()
    const { port, lines } = await startActions({
      api: {
        '/api/x': edge((web) => {
          begun.resolve()
          return web.text().then((body) => new Response(body))
        }),
      },
      semantics,
    })
    const outgoing = request({ port, path: '/api/x', method: 'POST', headers: { ...SAME, 'content-length': 9 } })
    outgoing.on('error', () => {})
    outgoing.write('part')
    await begun.promise
    outgoing.destroy()
    await expect.poll(() => lines.map(({ event, status }) => [event, status])).toEqual([['request', 499]])
    // The handler has its error in the same turn or in one of the next.
    await new Promise((done) => setTimeout(done, 50))
    expect(lines).toHaveLength(1)
  })

  it('X7 F1 waits for the work that it passes to waitUntil, and reports its failure', async () => {
    const { url, lines } = await serve((_request, { waitUntil }) => {
      waitUntil(Promise.reject(new Error('late work')))
      return new Response('sent')
    })
    expect(await (await fetch(`${url}/api/x`)).text()).toBe('sent')
    await expect.poll(() => JSON.stringify(lines)).toContain('late work')
    expect(lines.filter(({ event }) => event === 'stray-error')).toEqual([])
  })

  it('G1 E4 X7 fails for what is no Response, and for headers of the framework', async () => {
    const { url, lines } = await serve(({ url: own }) =>
      own.endsWith('?a') ? new Response('', { headers: { 'portico-internal-cache': 'HIT' } }) : { ok: true },
    )
    const responses = [await fetch(`${url}/api/x?a`), await fetch(`${url}/api/x`)]
    expect(responses.map(({ status }) => status)).toEqual([500, 500])
    expect(responses[0]?.headers.get('portico-internal-cache')).toBeNull()
    expect(JSON.stringify(lines)).toContain('must return a Response')
  })

  it('C1 X7 is kept by no cache after it has read a session', async () => {
    const { url } = await serve(() => {
      currentContext().onSession?.('read')
      return new Response('x', { headers: { 'cache-control': 'public, max-age=60' } })
    })
    expect((await fetch(`${url}/api/x`)).headers.get('cache-control')).toBe('private, no-store')
  })

  it('A8 an export named runtime means nothing outside of compatibility mode', async () => {
    const module = { ...apiModule((_request, response) => response.json(1)), runtime: 'edge' }
    const { url } = await startActions({ api: { '/api/x': module } })
    expect(await (await fetch(`${url}/api/x`)).json()).toBe(1)
  })
})
