import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { all, ofClients, send, type TestGateway, type TestResponse, type Upstream } from '../testing/gateway-fixture.ts'
import { gatewayOf, twoReplicas, upstreamOf } from '../testing/proxy-fixture.ts'

describe('bodies', () => {
  const FORM = { 'content-type': 'multipart/form-data; boundary=x' }

  it('A7 passes a body on byte by byte, declared or chunked, for every method of an API', async () => {
    const upstream = await upstreamOf('upstream', { respond: (_request, response, body) => void response.end(body) })
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

  it('A7 drops the body of a GET, which does not become the next request', async () => {
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
    const received = await send(gateway.port, '/x', { method: 'POST', headers, body: 'x'.repeat(1001) })
    expect([received.status, received.headers.connection]).toEqual([413, 'close'])
    expect(JSON.parse(received.text)).toMatchObject({ error: { status: 413, limit: 1000, received: 1001 } })
    expect(upstream.requests).toEqual([])
  })

  it('A7 ends a chunked body at the ceiling; the upstream never receives a complete body', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), bodyCeilingBytes: 1000 })
    const headers = { ...FORM, 'transfer-encoding': 'chunked' }
    const received = await send(gateway.port, '/api/x', { method: 'POST', headers, body: 'x'.repeat(5000) })
    expect(received.status).toBe(413)
    expect(JSON.parse(received.text)).toMatchObject({ error: { limit: 1000 } })
    expect(upstream.requests).toEqual([])
    // Chunks that arrive together: all but the last are below the ceiling, and the end follows before a connection is there.
    await send(gateway.port, '/api/x')
    const body = 'x'.repeat(100_000)
    expect((await send(gateway.port, '/api/x', { method: 'POST', headers, body: body })).status).toBe(413)
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET'])
  })

  it('A7 never completes a body that its client cut short', async () => {
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

  it('A7 passes an early response on although the body was not read', async () => {
    const upstream = await upstreamOf()
    upstream.server.removeAllListeners('request')
    upstream.server.on('request', (request, response) => {
      if (request.url === '/readyz') return void response.end('{}')
      response.writeHead(413, { 'content-type': 'application/json' }).end('{"early":true}')
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const body = Buffer.alloc(2_000_000)
    const received = await send(gateway.port, '/api/x', { method: 'POST', body })
    expect([received.status, received.text]).toEqual([413, '{"early":true}'])
  })
})

describe('page data', () => {
  it('G3 is requested from a renderer of the named build while one exists', async () => {
    const { one, two, gateway } = await twoReplicas({ manifest: { buildId: 'new' } }, ['old.e1', 'new.e1'])
    const serve = (upstream: Upstream, build: string) => {
      upstream.respond = (request, response) => {
        const isOwn = request.url?.includes(`/${build}/`)
        response.writeHead(isOwn ? 200 : 404, { 'content-type': 'application/json', 'portico-build': build })
        response.end(isOwn ? `"${build}"` : '{"kind":"foreign-build"}')
      }
    }
    serve(one, 'old')
    serve(two, 'new')
    const request = (build: string) => send(gateway.port, `/_portico/data/${build}/index.json`)
    for (let index = 0; index < 10; index++)
      for (const build of ['old', 'new']) expect((await request(build)).text).toBe(`"${build}"`)
    // The probes report the builds: no request is sent twice.
    expect([...ofClients(one), ...ofClients(two)].length).toBe(20)
    const foreign = await request('gone')
    expect([foreign.status, foreign.text]).toEqual([404, '{"kind":"foreign-build"}'])
  })
})

describe('the development socket', () => {
  it('V1 is passed through in both directions, without headers that no client may send', async () => {
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
  it('G2 sends one image to one replica, many images to both', async () => {
    const { one, two, gateway } = await twoReplicas()
    const request = (url: string, query = 'w=640&q=75') => send(gateway.port, `/_portico/image?url=${url}&${query}`)
    const same = new Set<string>()
    for (let index = 0; index < 6; index++) same.add((await request('/a.png')).text)
    same.add((await request('/a.png', 'quality=75&width=640')).text)
    same.add((await request('/a.png', 'w=640')).text)
    expect(same.size).toBe(1)
    const before = [one.requests.length, two.requests.length]
    for (let index = 0; index < 60; index++) await request(`/${index}.png`)
    expect(one.requests.length - before[0]!).toBeGreaterThan(15)
    expect(two.requests.length - before[1]!).toBeGreaterThan(15)
  })
})

describe('the life of a gateway', () => {
  const readiness = async (gateway: TestGateway): Promise<TestResponse> => send(gateway.innerPort, '/readyz')

  it('O4 is ready once every service had a ready replica, and remains ready', async () => {
    const version = 'build1.x'
    const upstream = await upstreamOf('renderer', { version })
    const actions = await upstreamOf('actions', { version })
    actions.isReady = false
    const gateway = await gatewayOf({ upstreams: { ...all(upstream), actions } })
    const waiting = await readiness(gateway)
    expect([waiting.status, JSON.parse(waiting.text).waiting]).toEqual([
      503,
      ['no replica of actions of build build1 has been ready yet'],
    ])
    actions.isReady = true
    await expect.poll(async () => (await readiness(gateway)).status, { timeout: 3000 }).toBe(200)
    actions.isReady = false
    await new Promise((done) => setTimeout(done, 700))
    expect((await readiness(gateway)).status).toBe(200)
  })

  it('O5 finishes running requests and closes kept connections', async () => {
    const upstream = await upstreamOf('slow', {
      respond: (_request, response) => void setTimeout(() => response.end('done'), 200),
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
