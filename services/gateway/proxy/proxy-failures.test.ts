import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { MAX_RESPONSE_HEAD_BYTES } from '@portico/shared/wire/constants.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { all, send, type Upstream } from '../testing/gateway-fixture.ts'
import { openClient } from '../testing/open-client.ts'
import { gatewayOf, twoReplicas, upstreamOf } from '../testing/proxy-fixture.ts'

describe('failures', () => {
  const READS: [string, string][] = [
    ['/about', 'text/html; charset=utf-8'],
    ['/_portico/data/build1/about.json', 'application/json; charset=utf-8'],
    ['/_portico/image?url=/a.png&w=640&q=75', 'text/plain; charset=utf-8'],
    ['/api/x', 'application/json; charset=utf-8'],
  ]

  it.each(READS)('E7 a refused connection is 502 in the form of %s', async (path, type) => {
    const gateway = await gatewayOf({ upstreams: {}, firstReadyMs: 50 })
    const { status, headers, text } = await send(gateway.port, path)
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([502, type, '1'])
    expect(headers['cache-control']).toContain('no-store')
    expect(text).not.toMatch(/127\.0\.0\.1|ECONN|about|api/)
  })

  it.each(READS)('E7 a late upstream is 504 in the form of %s', async (path, type) => {
    const upstream = await upstreamOf('silent', { respond: () => {} })
    const gateway = await gatewayOf({
      upstreams: all(upstream),
      limits: { pageMs: 60, imageMs: 60, actionMs: 60, externalMs: 60, sourceMs: 60 },
    })
    const { status, headers } = await send(gateway.port, path)
    expect([status, headers['content-type']]).toEqual([504, type])
    expect(upstream.requests.length).toBe(1)
  })

  it('E7 G2 a response with a head over the limit is 502 after one attempt, and takes no replica from others', async () => {
    const { one, two, gateway } = await twoReplicas()
    one.respond = two.respond = ({ url }, response) => {
      response.setHeader('x-long', 'x'.repeat(url === '/long' ? MAX_RESPONSE_HEAD_BYTES : 40_000)).end('read')
    }
    const requests = () => one.requests.length + two.requests.length
    for (let at = 1; at <= 10; at++) {
      expect((await send(gateway.port, '/long')).status).toBe(502)
      expect(requests()).toBe(at)
    }
    expect(gateway.lines.filter(({ state }) => state === 'resting')).toEqual([])
    const client = openClient(gateway.port, 'GET /about HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await expect.poll(client.isClosed).toBe(true)
    expect([client.statuses(), client.received().match(/x{40000}/)?.length]).toEqual([['200'], 1])
  })

  it('E7 no known address is 503 with Retry-After', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({
      upstreams: all(upstream),
      firstReadyMs: 50,
      replicaOptions: { lookup: async () => [] },
    })
    const { status, headers } = await send(gateway.port, '/about')
    expect([status, headers['retry-after']]).toEqual([503, '1'])
  })

  it('E7 passes on the response of an upstream that is overloaded', async () => {
    const upstream = await upstreamOf('busy', {
      respond: (_request, response) => void response.writeHead(503, { 'retry-after': '7' }).end('busy'),
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const received = await send(gateway.port, '/about')
    expect([received.status, received.headers['retry-after'], received.text]).toEqual([503, '7', 'busy'])
  })

  it('E7 an action that cannot be reached is JSON for a script and the screen for a form', async () => {
    const gateway = await gatewayOf({ upstreams: {}, firstReadyMs: 50 })
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
    const breaks: Upstream['respond'] = (request) => void request.socket.destroy()
    one.respond = breaks
    for (let index = 0; index < 8; index++) expect((await send(gateway.port, '/x')).text).toBe('from two')
    two.respond = breaks
    const before = one.requests.length + two.requests.length
    expect((await send(gateway.port, '/x')).status).toBe(502)
    expect(one.requests.length + two.requests.length).toBe(before + 2)
    expect(gateway.lines.filter(({ attempts }) => attempts === 2).length).toBeGreaterThan(0)
  })

  it('D4 W2 ends the response when page data breaks off after its first line, and does not send the GET again', async () => {
    const { one, two, gateway } = await twoReplicas()
    const line = '{"kind":"page","route":"/x","params":{},"props":{"late":{"$deferred":0}}}\n'
    one.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/jsonl; charset=utf-8' })
      response.write(line, () => setTimeout(() => response.destroy(), 20))
    }
    two.respond = one.respond
    const client = openClient(gateway.port, 'GET /_portico/data/build1/x.json HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(client.isClosed).toBe(true)
    expect(client.received()).toContain(line)
    expect(client.received()).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(one.requests.length + two.requests.length).toBe(1)
  })

  it('G2 never sends a POST twice, with or without a body', async () => {
    const { one, two, gateway } = await twoReplicas()
    one.respond = (request) => void request.socket.destroy()
    two.respond = one.respond
    for (const path of ['/api/x', '/page'])
      for (const body of ['', 'a=1']) {
        const before = one.requests.length + two.requests.length
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        expect((await send(gateway.port, path, { method: 'POST', headers, body })).status).toBe(502)
        expect(one.requests.length + two.requests.length).toBe(before + 1)
      }
  })

  it('G2 moves waiting GETs away from a replica that freezes', async () => {
    const { one, two, gateway } = await twoReplicas()
    // A frozen process: connections are open, no response begins.
    one.respond = () => {}
    const waiting = Array.from({ length: 6 }, () => send(gateway.port, '/x'))
    one.server.removeAllListeners('request')
    const texts = (await Promise.all(waiting)).map(({ text }) => text)
    expect(new Set(texts)).toEqual(new Set(['from two']))
    expect(two.requests.length).toBe(6)
  })

  it('G2 ends no request that waits at a busy replica while bytes of another response arrive', async () => {
    let isBusy = false
    const probe = async (address: string) =>
      ({ result: isBusy && address === '127.0.0.1' ? 'failed' : 'ready' }) as const
    // Ten times as fast: the 3 s without a byte pass between two probes.
    const now = () => performance.now() * 10
    const lookup = async () => ['127.0.0.1', '127.0.0.2']
    const { one, two, gateway } = await twoReplicas({ replicaOptions: { lookup, probe, now } })
    const held: ServerResponse[] = []
    one.respond = (_request, response) => void held.push(response)
    two.respond = one.respond
    const sent = Array.from({ length: 4 }, () => send(gateway.port, '/x'))
    await expect.poll(() => held.length).toBe(4)
    isBusy = true
    const [streamed] = held.filter(({ socket }) => socket?.localAddress === '127.0.0.1')
    const piece = setInterval(() => streamed?.write('piece'), 20)
    await new Promise((done) => setTimeout(done, 1600))
    clearInterval(piece)
    for (const response of held) response.end()
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect([one.requests.length, two.requests.length]).toEqual([2, 2])
  })

  it('G2 keeps a connection that was made in time although the process was too busy to read the event', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), replicaOptions: { connectTimeoutMs: 20 } })
    let isDone = false
    const keepBusy = () => {
      for (const until = performance.now() + 40; performance.now() < until; );
      if (!isDone) setImmediate(keepBusy)
    }
    const pending = send(gateway.port, '/x')
    keepBusy()
    try {
      expect((await pending).text).toBe('from upstream')
    } finally {
      isDone = true
    }
  })

  it('G2 replaces a kept connection that had ended, and does not eject the replica', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    await send(gateway.port, '/x')
    // The only replica closes its kept connection at the moment when the next request arrives on it.
    let isFirst = true
    upstream.respond = (request, response) => {
      if (isFirst) request.socket.destroy()
      else response.end('again')
      isFirst = false
    }
    expect((await send(gateway.port, '/x')).text).toBe('again')
    expect((await send(gateway.port, '/x')).status).toBe(200)
  })

  it('G2 makes a new connection for the second try when all kept connections of the only replica are dead', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const held: ServerResponse[] = []
    upstream.respond = (_request, response) => void held.push(response)
    const first = Array.from({ length: 3 }, () => send(gateway.port, '/x'))
    await expect.poll(() => held.length).toBe(3)
    const old = new Set(held.map(({ socket }) => socket))
    for (const response of held) response.end('first')
    await Promise.all(first)
    upstream.respond = (request, response) => {
      if (old.has(request.socket)) request.socket.destroy()
      else response.end('again')
    }
    expect((await send(gateway.port, '/x')).text).toBe('again')
  })

  it.each(['kept', 'new', 'kept and then a new'])(
    'G2 a GET waits for the only replica that dies after a %s connection was made',
    async (how) => {
      const upstream = await upstreamOf()
      const gateway = await gatewayOf({ upstreams: all(upstream) })
      if (how !== 'new') await send(gateway.port, '/x')
      const warnings: Error[] = []
      const note = (warning: Error) => void warnings.push(warning)
      process.on('warning', note)
      onTestFinished(() => void process.off('warning', note))
      // As after SIGKILL: the kept connection ends, the listener ends then or later, and for a while nothing listens at the port.
      let broken = how === 'kept and then a new' ? 2 : 1
      let restarted: Promise<Upstream> | undefined
      upstream.respond = (request) => {
        if (--broken > 0) return void request.socket.destroy()
        restarted = upstream.stop().then(async () => {
          await new Promise((resolve) => setTimeout(resolve, 300))
          return upstreamOf('restarted', { port: upstream.port })
        })
        request.socket.destroy()
      }
      expect((await send(gateway.port, '/x')).text).toBe('from restarted')
      await restarted
      expect(gateway.lines.at(-1)).toMatchObject({ attempts: 2 })
      expect(warnings).toEqual([])
    },
  )

  it.each(['content-length', 'chunked', 'compressed'])(
    'G4 never ends a broken %s response as complete',
    async (how) => {
      const upstream = await upstreamOf('upstream', {
        respond(_request, response) {
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
    },
  )

  it('G2 ends the request to the upstream when the client disconnects', async () => {
    let closed = false
    const upstream = await upstreamOf('upstream', {
      respond: (request) =>
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
