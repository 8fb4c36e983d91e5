import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  all,
  type GatewayOptions,
  send,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../gateway-fixture.ts'

const parts: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(parts.splice(0).map((part) => part.stop()))
})

async function gatewayOf(options: GatewayOptions): Promise<TestGateway> {
  const gateway = await startGateway(options)
  parts.push(gateway)
  return gateway
}

async function upstreamOf(name = 'upstream', options: Parameters<typeof startUpstream>[1] = {}): Promise<Upstream> {
  const upstream = await startUpstream(name, options)
  parts.push(upstream)
  return upstream
}

/** Two replicas of every service: one port at two addresses of this machine. */
async function twoReplicas(options: Partial<GatewayOptions> = {}) {
  const one = await upstreamOf('one')
  const two = await upstreamOf('two', { host: '127.0.0.2', port: one.port })
  const lookup = async () => ['127.0.0.1', '127.0.0.2']
  const gateway = await gatewayOf({ upstreams: all(one), replicaOptions: { lookup }, ...options })
  return { one, two, gateway }
}

describe('headers', () => {
  it('G1 strips internal and hop-by-hop headers upwards', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const headers = {
      'portico-internal-route': '/admin',
      'Portico-Internal-Anything': 'x',
      connection: 'close, x-secret',
      'x-secret': '1',
      'keep-alive': 'timeout=1',
      te: 'trailers',
      'proxy-authorization': 'Basic x',
      'proxy-connection': 'close',
      'x-kept': '1',
      cookie: 'a=1; b=2',
    }
    await send(gateway.port, '/', { headers })
    const { headers: seen } = upstream.requests[0]!
    expect(seen).toMatchObject({ 'x-kept': '1', cookie: 'a=1; b=2', connection: 'keep-alive' })
    for (const name of Object.keys(headers))
      if (!['x-kept', 'cookie', 'connection'].includes(name)) expect(seen).not.toHaveProperty([name.toLowerCase()])
  })

  it('G1 strips internal and hop-by-hop headers downwards and keeps what is the same', async () => {
    const upstream = await upstreamOf('upstream', {
      answer(_request, response) {
        response.writeHead(200, [
          ...['content-type', 'text/plain', 'Connection', 'close, x-mine', 'x-mine', '1', 'Keep-Alive', 'timeout=1'],
          ...[
            'portico-internal-route',
            '/places/[slug]',
            'portico-internal-cache',
            'HIT',
            'Portico-Internal-Digest',
            'abc',
          ],
          ...[
            'set-cookie',
            'a=1',
            'set-cookie',
            'b=2',
            'link',
            '</a>',
            'x-powered-by',
            'x',
            'proxy-authenticate',
            'Basic',
          ],
        ])
        response.end('body')
      },
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const { headers } = await send(gateway.port, '/places/x?secret=1', { headers: { connection: 'keep-alive' } })
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], link: '</a>', connection: 'keep-alive' })
    for (const name of ['x-mine', 'x-powered-by', 'proxy-authenticate']) expect(headers).not.toHaveProperty(name)
    expect(Object.keys(headers).filter((name) => name.startsWith('portico-internal'))).toEqual([])
    const line = gateway.lines.find(({ event }) => event === 'request')
    expect(line).toMatchObject({ route: '/places/[slug]', cache: 'HIT', digest: 'abc', path: '/places/x', status: 200 })
    expect(JSON.stringify(gateway.lines)).not.toContain('secret')
  })

  it('G7 mints the request id, continues a trace and answers Server-Timing', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`
    const { headers } = await send(gateway.port, '/', { headers: { traceparent, 'x-request-id': 'forged-forged' } })
    const seen = upstream.requests[0]!.headers
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{16}$/)
    expect(seen['x-request-id']).toBe(headers['x-request-id'])
    expect(seen.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`))
    expect(headers['server-timing']).toMatch(/^upstream;dur=[\d.]+, gateway;dur=[\d.]+$/)
    expect(gateway.lines.find(({ event }) => event === 'request')).toMatchObject({
      requestId: headers['x-request-id'],
      traceId,
      by: 'renderer',
    })
    await send(gateway.port, '/', { headers: { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` } })
    expect(upstream.requests[1]!.headers.traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })

  it('R7 applies header rules below an upstream and above the defaults, and never loosens a policy', async () => {
    const upstream = await upstreamOf('upstream', {
      answer(_request, response) {
        response.writeHead(200, {
          'content-type': 'text/plain',
          'content-security-policy': "script-src 'self'",
          'x-a': 'up',
        })
        response.end('x')
      },
    })
    const rule = (source: string, headers: Record<string, string>) => ({
      source,
      headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    })
    const gateway = await gatewayOf({
      upstreams: all(upstream),
      files: { 'public/a.txt': 'a', 'client/static/a.js': 'a' },
      manifest: {
        headers: [
          rule('/:path*', {
            'X-A': 'rule',
            'X-B': 'rule',
            'Referrer-Policy': 'origin',
            'Cache-Control': 'public, max-age=60',
          }),
          rule('/strict', { 'Content-Security-Policy': "frame-ancestors 'none'", 'Content-Length': '1', ETag: '"x"' }),
        ],
      },
    })
    const page = await send(gateway.port, '/strict')
    expect(page.headers).toMatchObject({
      'x-a': 'up',
      'x-b': 'rule',
      'referrer-policy': 'origin',
      'x-content-type-options': 'nosniff',
    })
    expect(page.headers['content-security-policy']).toBe("script-src 'self', frame-ancestors 'none'")
    expect([page.text, page.headers.etag]).toEqual(['x', undefined])
    expect((await send(gateway.port, '/a.txt')).headers['cache-control']).toBe('public, max-age=60')
    expect((await send(gateway.port, '/_portico/static/a.js')).headers['cache-control']).toContain('immutable')
  })

  it('G6 sets HSTS only where every configured origin is https', async () => {
    const upstream = await upstreamOf()
    const hsts = async (publicOrigins: string[]) => {
      const gateway = await gatewayOf({ upstreams: all(upstream), publicOrigins })
      return (await send(gateway.port, '/')).headers['strict-transport-security']
    }
    expect(await hsts([])).toBeUndefined()
    expect(await hsts(['https://a.example', 'http://a.example'])).toBeUndefined()
    expect(await hsts(['https://a.example'])).toBe('max-age=31536000')
  })
})

describe('failures', () => {
  const READS: [string, string][] = [
    ['/about', 'text/html; charset=utf-8'],
    ['/_portico/data/build1/about.json', 'application/json; charset=utf-8'],
    ['/_portico/image?url=/a.png&w=640&q=75', 'text/plain; charset=utf-8'],
    ['/api/x', 'application/json; charset=utf-8'],
  ]

  it.each(READS)('E7 a refused connection is 502 in the form of %s', async (path, type) => {
    const gateway = await gatewayOf({ upstreams: {} })
    const { status, headers, text } = await send(gateway.port, path)
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([502, type, '1'])
    expect(headers['cache-control']).toContain('no-store')
    expect(text).not.toMatch(/127\.0\.0\.1|ECONN|about|api/)
  })

  it.each(READS)('E7 a late upstream is 504 in the form of %s', async (path, type) => {
    const upstream = await upstreamOf('silent', { answer: () => {} })
    const gateway = await gatewayOf({ upstreams: all(upstream), limits: { pageMs: 60, imageMs: 60, actionMs: 60 } })
    const { status, headers } = await send(gateway.port, path)
    expect([status, headers['content-type']]).toEqual([504, type])
    expect(upstream.requests.length).toBe(1)
  })

  it('E7 no known address is 503 with Retry-After', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), replicaOptions: { lookup: async () => [] } })
    const { status, headers } = await send(gateway.port, '/about')
    expect([status, headers['retry-after']]).toEqual([503, '1'])
  })

  it('E7 passes on what an upstream says of its own load', async () => {
    const upstream = await upstreamOf('busy', {
      answer: (_request, response) => void response.writeHead(503, { 'retry-after': '7' }).end('busy'),
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const answer = await send(gateway.port, '/about')
    expect([answer.status, answer.headers['retry-after'], answer.text]).toEqual([503, '7', 'busy'])
  })

  it('E7 an action that cannot be reached answers JSON to a script and the screen to a form', async () => {
    const gateway = await gatewayOf({ upstreams: {} })
    const script = { 'portico-action': 'abc', 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const types = [script, form].map(
      async (headers) =>
        (await send(gateway.port, '/x', { method: 'POST', headers, body: 'a=1' })).headers['content-type'],
    )
    expect(await Promise.all(types)).toEqual(['application/json; charset=utf-8', 'text/html; charset=utf-8'])
  })

  it('G2 sends a GET whose replica breaks to the other one, once', async () => {
    const { one, two, gateway } = await twoReplicas()
    const breaks: Upstream['answer'] = (request) => void request.socket.destroy()
    one.answer = breaks
    for (let index = 0; index < 8; index++) expect((await send(gateway.port, '/x')).text).toBe('from two')
    two.answer = breaks
    const before = one.requests.length + two.requests.length
    expect((await send(gateway.port, '/x')).status).toBe(502)
    expect(one.requests.length + two.requests.length).toBe(before + 2)
    expect(gateway.lines.filter(({ attempts }) => attempts === 2).length).toBeGreaterThan(0)
  })

  it('G2 never sends a POST twice', async () => {
    const { one, two, gateway } = await twoReplicas()
    one.answer = (request) => void request.socket.destroy()
    two.answer = one.answer
    for (const path of ['/api/x', '/page']) {
      const before = one.requests.length + two.requests.length
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await send(gateway.port, path, { method: 'POST', headers, body: 'a=1' })).status).toBe(502)
      expect(one.requests.length + two.requests.length).toBe(before + 1)
    }
  })

  it('G2 moves waiting GETs away from a replica that freezes', async () => {
    const { one, two, gateway } = await twoReplicas()
    // A frozen process: connections stay open, nothing is answered.
    one.answer = () => {}
    const waiting = Array.from({ length: 6 }, () => send(gateway.port, '/x'))
    one.server.removeAllListeners('request')
    const startedAt = performance.now()
    const texts = (await Promise.all(waiting)).map(({ text }) => text)
    expect(new Set(texts)).toEqual(new Set(['from two']))
    expect(performance.now() - startedAt).toBeLessThan(3000)
    expect(two.requests.length).toBe(6)
  })

  it('G2 puts a connection that had grown old aside without blame', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    await send(gateway.port, '/x')
    // The only replica closes its kept connection at the moment when the next request arrives on it.
    let isFirst = true
    upstream.answer = (request, response) => {
      if (isFirst) request.socket.destroy()
      else response.end('again')
      isFirst = false
    }
    expect((await send(gateway.port, '/x')).text).toBe('again')
    expect((await send(gateway.port, '/x')).status).toBe(200)
  })

  it.each(['content-length', 'chunked', 'compressed'])('G4 never ends a broken %s answer as whole', async (how) => {
    const upstream = await upstreamOf('upstream', {
      answer(_request, response) {
        response.setHeader('content-type', 'text/html')
        if (how === 'content-length') response.setHeader('content-length', '100000')
        response.write('x'.repeat(5000))
        setTimeout(() => response.destroy(), 50)
      },
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const headers: Record<string, string> = how === 'compressed' ? { 'accept-encoding': 'gzip' } : {}
    await expect(send(gateway.port, '/x', { headers })).rejects.toThrow(/aborted|hang up|ECONNRESET/)
    await new Promise((done) => setTimeout(done, 20))
    expect(gateway.lines.find(({ event }) => event === 'request')).toMatchObject({ incomplete: true })
    expect(upstream.requests.length).toBe(1)
  })

  it('G2 stops the upstream when the visitor leaves', async () => {
    let closed = false
    const upstream = await upstreamOf('upstream', {
      answer: (request) =>
        void request.socket.on('close', () => {
          closed = true
        }),
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n'))
    await expect.poll(() => upstream.requests.length).toBe(1)
    socket.destroy()
    await expect.poll(() => closed).toBe(true)
  })
})

describe('bodies', () => {
  const FORM = { 'content-type': 'multipart/form-data; boundary=x' }

  it('A7 passes a body on byte by byte, declared or chunked, for every method of an API', async () => {
    const upstream = await upstreamOf('upstream', { answer: (_request, response, body) => void response.end(body) })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const body = Buffer.alloc(300_000, 'äöü')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const declared = await send(gateway.port, '/api/x', {
        method,
        body,
        headers: { 'content-length': String(body.length) },
      })
      expect([method, declared.body.equals(body)]).toEqual([method, true])
      const chunked = await send(gateway.port, '/api/x', { method, body, headers: { 'transfer-encoding': 'chunked' } })
      expect([method, chunked.body.equals(body)]).toEqual([method, true])
    }
    expect((await send(gateway.port, '/api/x', { method: 'POST' })).status).toBe(200)
  })

  it('A7 drops the body of a GET instead of letting it become the next request', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const smuggled = 'GET /admin HTTP/1.1\r\nHost: a\r\n\r\n'
    await send(gateway.port, '/api/x', { body: smuggled, headers: { 'transfer-encoding': 'chunked' } })
    await send(gateway.port, '/api/x', { body: smuggled, headers: { 'content-length': String(smuggled.length) } })
    expect(upstream.requests.map(({ url, body }) => [url, body])).toEqual([
      ['/api/x', ''],
      ['/api/x', ''],
    ])
  })

  it('A7 refuses a declared body above the ceiling before it is sent on', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), bodyCeilingBytes: 1000 })
    const headers = { 'content-type': 'application/json', 'portico-action': 'abc', 'content-length': '1001' }
    const answer = await send(gateway.port, '/x', { method: 'POST', headers, body: 'x'.repeat(1001) })
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close'])
    expect(JSON.parse(answer.text)).toMatchObject({ error: { status: 413, limit: 1000, received: 1001 } })
    expect(upstream.requests).toEqual([])
  })

  it('A7 cuts a chunked body off at the ceiling; the upstream never sees it whole', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), bodyCeilingBytes: 1000 })
    const headers = { ...FORM, 'transfer-encoding': 'chunked' }
    const answer = await send(gateway.port, '/api/x', { method: 'POST', headers, body: 'x'.repeat(5000) })
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { limit: 1000 } })
    expect(upstream.requests).toEqual([])
  })

  it('A7 never makes a body whole that its sender cut short', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    for (const framing of ['Content-Length: 100\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n']) {
      const socket = connect(gateway.port, '127.0.0.1', () =>
        socket.write(`POST /api/x HTTP/1.1\r\nHost: a\r\n${framing}`),
      )
      await new Promise((done) => setTimeout(done, 60))
      socket.destroy()
      await new Promise((done) => setTimeout(done, 60))
    }
    expect(upstream.requests).toEqual([])
    expect((await send(gateway.port, '/about')).status).toBe(200)
  })

  it('A7 passes an early answer on although the body was not read', async () => {
    const upstream = await upstreamOf()
    upstream.server.removeAllListeners('request')
    upstream.server.on('request', (request, response) => {
      if (request.url === '/readyz') return void response.end('{}')
      response.writeHead(413, { 'content-type': 'application/json' }).end('{"early":true}')
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const body = Buffer.alloc(2_000_000)
    const answer = await send(gateway.port, '/api/x', { method: 'POST', body })
    expect([answer.status, answer.text]).toEqual([413, '{"early":true}'])
  })
})

describe('page data', () => {
  it('G3 goes to a renderer of the named build while one lives', async () => {
    const { one, two, gateway } = await twoReplicas()
    const serve = (upstream: Upstream, build: string) => {
      upstream.answer = (request, response) => {
        const isOwn = request.url?.includes(`/${build}/`)
        response.writeHead(isOwn ? 200 : 404, { 'content-type': 'application/json', 'portico-build': build })
        response.end(isOwn ? `"${build}"` : '{"kind":"foreign-build"}')
      }
    }
    serve(one, 'old')
    serve(two, 'new')
    const ask = (build: string) => send(gateway.port, `/_portico/data/${build}/index.json`)
    for (let index = 0; index < 10; index++)
      for (const build of ['old', 'new']) expect((await ask(build)).text).toBe(`"${build}"`)
    // Once each has told its build, nothing is asked twice.
    expect(one.requests.length + two.requests.length).toBeLessThanOrEqual(22)
    const foreign = await ask('gone')
    expect([foreign.status, foreign.text]).toEqual([404, '{"kind":"foreign-build"}'])
  })
})

describe('the development socket', () => {
  it('V1 is passed through both ways, without what nobody may claim', async () => {
    const upstream = await upstreamOf()
    let seen: Record<string, unknown> = {}
    let isEnded = false
    upstream.server.on('upgrade', (request, socket) => {
      seen = request.headers
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      socket.on('data', (chunk: Buffer) => socket.write(`echo ${chunk}`))
      socket.on('end', () => {
        isEnded = true
        socket.end()
      })
    })
    const gateway = await gatewayOf({ upstreams: all(upstream), devMode: true })
    let received = ''
    const socket = connect(gateway.port, '127.0.0.1', () =>
      socket.write(
        'GET /_portico/dev?x=1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: vite-hmr\r\nPortico-Internal-X: 1\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n',
      ),
    )
    socket.on('data', (chunk) => {
      received += chunk
    })
    await expect.poll(() => received).toContain('101 Switching Protocols')
    socket.write('hello')
    await expect.poll(() => received).toContain('echo hello')
    expect(seen).toMatchObject({ upgrade: 'websocket', 'sec-websocket-protocol': 'vite-hmr', host: 'a' })
    expect(Object.keys(seen).filter((name) => /internal|forwarded/.test(name))).toEqual([])
    socket.destroy()
    await expect.poll(() => isEnded).toBe(true)
  })
})

describe('images', () => {
  it('G2 sends one picture to one replica, many pictures to both', async () => {
    const { one, two, gateway } = await twoReplicas()
    const ask = (url: string, query = 'w=640&q=75') => send(gateway.port, `/_portico/image?url=${url}&${query}`)
    const same = new Set<string>()
    for (let index = 0; index < 6; index++) same.add((await ask('/a.png')).text)
    same.add((await ask('/a.png', 'quality=75&width=640')).text)
    same.add((await ask('/a.png', 'w=640')).text)
    expect(same.size).toBe(1)
    const before = [one.requests.length, two.requests.length]
    for (let index = 0; index < 60; index++) await ask(`/${index}.png`)
    expect(one.requests.length - before[0]!).toBeGreaterThan(15)
    expect(two.requests.length - before[1]!).toBeGreaterThan(15)
  })
})

describe('the life of a gateway', () => {
  const readiness = async (gateway: TestGateway): Promise<Answer> => send(gateway.innerPort, '/readyz')

  it('O4 is ready once every service had a ready replica, and stays so', async () => {
    const upstream = await upstreamOf()
    const actions = await upstreamOf('actions')
    actions.isReady = false
    const gateway = await gatewayOf({ upstreams: { ...all(upstream), actions } })
    const waiting = await readiness(gateway)
    expect([waiting.status, JSON.parse(waiting.text).waiting]).toEqual([
      503,
      ['no replica of actions has been ready yet'],
    ])
    actions.isReady = true
    await expect.poll(async () => (await readiness(gateway)).status, { timeout: 3000 }).toBe(200)
    actions.isReady = false
    await new Promise((done) => setTimeout(done, 700))
    expect((await readiness(gateway)).status).toBe(200)
  })

  it('O5 finishes what runs and tells kept connections to close', async () => {
    const upstream = await upstreamOf('slow', {
      answer: (_request, response) => void setTimeout(() => response.end('done'), 200),
    })
    const gateway = await gatewayOf({ upstreams: all(upstream), drain: { delayMs: 50, deadlineMs: 2000 } })
    const running = send(gateway.port, '/x', { headers: { connection: 'keep-alive' } })
    await expect.poll(() => upstream.requests.length).toBe(1)
    const stopped = gateway.service.stop()
    const late = send(gateway.port, '/y', { headers: { connection: 'keep-alive' } })
    expect((await running).text).toBe('done')
    expect((await late).headers.connection).toBe('close')
    expect(await stopped).toEqual({ finished: true })
  })

  it('O4 shows figures with bounded labels', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    await send(gateway.port, '/x')
    await send(gateway.port, '/y/')
    const { text } = await send(gateway.innerPort, '/metrics')
    expect(text).toContain('portico_gateway_request_seconds_count{upstream="renderer",status="2xx"} 1')
    expect(text).toContain('portico_gateway_request_seconds_count{upstream="gateway",status="3xx"} 1')
    expect(text).toContain('portico_gateway_replicas{upstream="images",state="ready"} 1')
  })
})
