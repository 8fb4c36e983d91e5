import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { all, send, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'
import { openClient, postOf } from '../testing/open-client.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'
import { createReadyQueue, type ReadyQueue } from './ready-queue.ts'

describe('the queue for a first ready replica', () => {
  let slots = 0
  let isDraining = false
  let hurried = 0
  let sent: string[] = []
  let timedOut: string[] = []
  let displaced: string[] = []
  let queue: ReadyQueue<string>

  beforeEach(() => {
    vi.useFakeTimers()
    slots = 0
    isDraining = false
    hurried = 0
    sent = []
    timedOut = []
    displaced = []
    const source = { hurry: () => void hurried++ }
    queue = createReadyQueue<string>({
      tryNow(item) {
        if (slots === 0) return false
        slots--
        return sent.push(item) > 0
      },
      sourceOf: () => source,
      networkOf: (item) => item[0]!,
      onDisplaced: (item) => displaced.push(item),
      onTimeout: (item) => timedOut.push(item),
      isDraining: () => isDraining,
      most: 3,
    })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('G2 sends requests in their order, no more at the same time than the replica accepts', () => {
    for (const item of ['a', 'b', 'c']) queue.wait(item)
    slots = 2
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a', 'b'])
    slots = 1
    vi.advanceTimersByTime(100)
    expect([sent, timedOut]).toEqual([['a', 'b', 'c'], []])
    const before = hurried
    vi.advanceTimersByTime(10_000)
    expect([hurried, vi.getTimerCount()]).toEqual([before, 0])
  })

  it('E7 ends a request after 3 s, and looks replicas up every 100 ms until then', () => {
    queue.wait('a')
    vi.advanceTimersByTime(1000)
    queue.wait('b')
    vi.advanceTimersByTime(1900)
    expect(timedOut).toEqual([])
    vi.advanceTimersByTime(100)
    expect(timedOut).toEqual(['a'])
    vi.advanceTimersByTime(1000)
    expect(timedOut).toEqual(['a', 'b'])
    expect(hurried).toBeGreaterThanOrEqual(40)
  })

  it('G2 holds a bounded number of requests, and no request of a disconnected client', () => {
    expect(['a1', 'a2', 'a3', 'a4'].map((item) => queue.wait(item))).toEqual([true, true, true, false])
    queue.remove('a2')
    expect(queue.wait('a4')).toBe(true)
    slots = 9
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a1', 'a3', 'a4'])
  })

  it('G2 G8 gives a place of the client that has most to one that has fewer', () => {
    expect(['a1', 'a2', 'b1'].map((item) => queue.wait(item))).toEqual([true, true, true])
    expect([queue.wait('a3'), queue.wait('c1'), displaced]).toEqual([false, true, ['a1']])
    queue.remove('a1')
    expect([queue.wait('a4'), queue.wait('b2'), displaced]).toEqual([false, false, ['a1']])
    queue.remove('c1')
    expect(queue.wait('b2')).toBe(true)
    slots = 9
    vi.advanceTimersByTime(100)
    expect([sent, timedOut]).toEqual([['a2', 'b1', 'b2'], []])
    // Nothing of those that were sent is counted.
    expect(['a', 'a', 'b'].map((name, index) => queue.wait(name + index))).toEqual([true, true, true])
  })

  it('O5 ends when the gateway is about to stop', () => {
    queue.wait('a')
    isDraining = true
    vi.advanceTimersByTime(100)
    expect([timedOut, vi.getTimerCount()]).toEqual([['a'], 0])
  })
})

const BUSY = { status: 503, headers: { 'retry-after': '1' } }

describe('a service without a ready replica', () => {
  const waitFor = async (gateway: TestGateway, count: number) => {
    // Every request has its exchange, and no request has ended.
    await new Promise((done) => setTimeout(done, 150))
    expect(gateway.lines.filter(({ event }) => event === 'request')).toHaveLength(count)
  }

  it('G2 E7 receives all waiting requests once it is ready, and none before', async () => {
    const upstream = await upstreamOf('upstream', {
      respond: (_request, response, body) => void response.end(`body ${body}`),
    })
    upstream.isReady = false
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const sent = [
      send(gateway.port, '/about'),
      send(gateway.port, '/_portico/image?url=/a.png&w=640&q=75'),
      send(gateway.port, '/api/x', { method: 'POST', body: 'small' }),
      send(gateway.port, '/api/x', { method: 'POST', body: Buffer.alloc(300_000, 'x') }),
      send(gateway.port, '/api/x', { method: 'POST', body: 'parts', headers: { 'transfer-encoding': 'chunked' } }),
    ]
    await waitFor(gateway, 0)
    expect(upstream.requests).toEqual([])
    upstream.isReady = true
    const responses = await Promise.all(sent)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(responses.slice(2).map(({ text }) => text.length)).toEqual([10, 300_005, 10])
    expect(upstream.requests).toHaveLength(5)
  })

  it('E7 is 503 with Retry-After in time while it reports that it is not ready', async () => {
    const upstream = await upstreamOf()
    upstream.isReady = false
    const gateway = await gatewayOf({ upstreams: all(upstream), firstReadyMs: 50 })
    expect(await send(gateway.port, '/about')).toMatchObject(BUSY)
    expect(await send(gateway.port, '/api/x', { method: 'POST', body: 'x' })).toMatchObject(BUSY)
    expect(upstream.requests).toEqual([])
  })

  it('G2 E7 receives every request whose connection was refused once it is restarted, with its whole body', async () => {
    const upstream = await upstreamOf()
    const { port } = upstream
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    await send(gateway.port, '/about')
    await upstream.stop()
    const large = Buffer.alloc(300_000, 'x')
    const parts = { 'transfer-encoding': 'chunked' }
    const sendAll = () => [
      send(gateway.port, '/about'),
      send(gateway.port, '/api/x', { method: 'POST' }),
      send(gateway.port, '/api/x', { method: 'POST', body: 'small' }),
      send(gateway.port, '/api/x', { method: 'POST', body: large }),
      send(gateway.port, '/api/x', { method: 'POST', body: large, headers: parts }),
    ]
    // The first of each service find out; the later ones wait.
    const sent = sendAll()
    await new Promise((done) => setTimeout(done, 300))
    sent.push(...sendAll())
    const respond: Upstream['respond'] = (_request, response, body) => void response.end(`${body.length} bytes`)
    const back = await upstreamOf('the next', { port, respond })
    const texts = ['0 bytes', '0 bytes', '5 bytes', '300000 bytes', '300000 bytes']
    expect((await Promise.all(sent)).map(({ text }) => text)).toEqual([...texts, ...texts])
    expect(back.requests).toHaveLength(10)
  })

  it('E7 is 503 with Retry-After when a restart takes longer than the wait', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), firstReadyMs: 300 })
    await send(gateway.port, '/about')
    await upstream.stop()
    expect(await send(gateway.port, '/about')).toMatchObject(BUSY)
    expect(await send(gateway.port, '/api/x', { method: 'POST', body: 'x' })).toMatchObject(BUSY)
  })

  it('G2 receives no more requests than the wait has time for while it refuses what its probe reports as ready', async () => {
    const upstream = await upstreamOf()
    const probe = async () => ({ result: 'ready' as const })
    const gateway = await gatewayOf({ upstreams: all(upstream), replicaOptions: { probe }, firstReadyMs: 500 })
    await upstream.stop()
    expect(await send(gateway.port, '/about')).toMatchObject(BUSY)
    const failed = gateway.lines.filter(({ msg }) => msg === 'upstream failed')
    expect(failed.length).toBeLessThan(8)
  })

  it('O5 receives requests while it drains, and those that it refuses wait for its successor', async () => {
    const upstream = await upstreamOf()
    const { port } = upstream
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    upstream.isReady = 'draining'
    await expect.poll(() => gateway.lines.filter(({ state }) => state === 'not-ready').length).toBe(3)
    expect((await send(gateway.port, '/about')).text).toBe('from upstream')
    await upstream.stop()
    const sent = [send(gateway.port, '/about'), send(gateway.port, '/api/x', { method: 'POST', body: 'x' })]
    await new Promise((done) => setTimeout(done, 200))
    await upstreamOf('the next', { port })
    expect((await Promise.all(sent)).map(({ text }) => text)).toEqual(['from the next', 'from the next'])
  })

  it('G2 receives no request of a client that disconnected', async () => {
    const upstream = await upstreamOf()
    upstream.isReady = false
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    for (const text of [
      'GET /x HTTP/1.1\r\nHost: a\r\n\r\n',
      postOf('/api/x', 3, 'abc'),
      postOf('/api/x', 100_000, 'abc'),
    ]) {
      const client = openClient(gateway.port, text)
      await new Promise((done) => setTimeout(done, 50))
      client.socket.destroy()
    }
    await expect.poll(() => gateway.lines.filter(({ status }) => status === 499).length).toBe(3)
    upstream.isReady = true
    await expect.poll(async () => (await send(gateway.port, '/last')).status).toBe(200)
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/last'])
  })

  it('G2 A7 has a bounded number of waiting requests and bytes', async () => {
    const upstream = await upstreamOf()
    upstream.isReady = false
    const bounds = { firstReadyWaiters: 3, waitingBodiesBytes: 65_536 }
    const gateway = await gatewayOf({ upstreams: all(upstream), ...bounds })
    const waiting = [1, 2].map(() => send(gateway.port, '/about'))
    const first = openClient(gateway.port, postOf('/api/x', 1_000_000, 'x'.repeat(100_000)), '127.0.0.2')
    await waitFor(gateway, 0)
    expect(await send(gateway.port, '/about')).toMatchObject(BUSY)
    expect(gateway.lines.find(({ refused }) => refused === 'ready-queue-full')).toMatchObject({ status: 503 })
    // The bytes: a body of another address takes the place of the first one.
    const second = openClient(gateway.port, postOf('/api/x', 1_000_000, 'x'.repeat(100_000)), '127.0.0.3')
    await expect.poll(first.statuses).toEqual(['503'])
    upstream.isReady = true
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
    second.socket.write('x'.repeat(900_000))
    await expect.poll(second.statuses).toEqual(['200'])
    for (const { socket } of [first, second]) socket.destroy()
  })

  it('G2 G8 waits for a client whatever others send, and no client pipelines the places full', async () => {
    const upstream = await upstreamOf()
    upstream.isReady = false
    const gateway = await gatewayOf({ upstreams: all(upstream), firstReadyWaiters: 8 })
    const attackers = ['127.0.0.2', '127.0.0.3'].map((address) =>
      openClient(gateway.port, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20), address),
    )
    await expect.poll(() => gateway.lines.some(({ refused }) => refused === 'ready-queue-full')).toBe(true)
    const sent = send(gateway.port, '/about')
    await new Promise((done) => setTimeout(done, 150))
    upstream.isReady = true
    expect((await sent).status).toBe(200)
    for (const { socket } of attackers) socket.destroy()
  })

  it('O5 does not delay the end of a gateway that stops', async () => {
    const upstream = await upstreamOf()
    upstream.isReady = false
    const gateway = await gatewayOf({ upstreams: all(upstream), drain: { delayMs: 50, deadlineMs: 10_000 } })
    const sent = send(gateway.port, '/about')
    await waitFor(gateway, 0)
    const stopped = gateway.service.stop()
    expect(await sent).toMatchObject(BUSY)
    expect(await stopped).toEqual({ finished: true })
  })

  it('G2 receives requests while it is frozen: it may still respond', async () => {
    const upstream = await upstreamOf()
    const probe = async () => ({ result: 'failed' as const })
    const gateway = await gatewayOf({ upstreams: all(upstream), replicaOptions: { probe } })
    expect((await send(gateway.port, '/about')).text).toBe('from upstream')
  })
})
