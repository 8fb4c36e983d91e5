import { afterEach, describe, expect, it, vi } from 'vitest'
import { all, send, type TestGateway } from '../../testing/gateway-fixture.ts'
import { openClient, postOf, type RawClient } from '../../testing/open-client.ts'
import { gatewayOf, upstreamOf } from '../../testing/proxy-fixture.ts'

const KINDS = {
  small: postOf('/api/x', 65_536, 'x'.repeat(65_000)),
  large: postOf('/api/x', 10_000_000, 'x'.repeat(100_000)),
  chunked: postOf('/api/x', 'chunked', '3\r\nabc\r\n'),
}
const kinds = Object.entries(KINDS)

const clients: RawClient[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const { socket } of clients.splice(0)) socket.destroy()
})
const open = (gateway: TestGateway, text: string, address?: string): RawClient => {
  const client = openClient(gateway.port, text, address)
  clients.push(client)
  return client
}

/** Reads bodies to their end, and counts requests whose head has arrived. */
async function countingUpstream() {
  const upstream = await upstreamOf('upstream', {
    respond: (_request, response, body) => void response.end(`${body.length}`),
  })
  const begun: string[] = []
  upstream.server.on('request', ({ url = '' }) => url !== '/readyz' && begun.push(url))
  return { upstream, begun }
}

const lineOf = (gateway: TestGateway, refused: string) => gateway.lines.find((line) => line.refused === refused)
const figureOf = async (gateway: TestGateway, reason: string) =>
  Number(
    new RegExp(`^portico_refused_total\\{listener="public",reason="${reason}"\\} (\\d+)$`, 'm').exec(
      await gateway.registry.metrics(),
    )?.[1] ?? 0,
  )
const settle = () => new Promise((done) => setTimeout(done, 30))

describe('a body that stops or trickles', () => {
  /** Seconds of the sweep; sockets are real. */
  async function pass(count: number, each: () => void = () => {}) {
    await settle()
    for (let second = 0; second < count; second++) {
      each()
      await settle()
      vi.advanceTimersByTime(1000)
      await new Promise((done) => setImmediate(done))
    }
    await settle()
  }

  it.each(kinds)(
    'A7 G8 a %s one that stops is 408 after 10 s, and no replica runs a request for it',
    async (kind, text) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
      const { upstream } = await countingUpstream()
      const gateway = await gatewayOf({ upstreams: all(upstream) })
      const client = open(gateway, text)
      await pass(9)
      expect(client.received()).toBe('')
      await pass(3)
      expect(client.statuses()).toEqual(['408'])
      expect(client.received()).toMatch(/^connection: close/im)
      expect(client.received()).toContain('"status":408')
      await expect.poll(client.isClosed).toBe(true)
      await expect.poll(() => lineOf(gateway, 'body-idle')).toMatchObject({ status: 408, path: '/api/x' })
      expect(await figureOf(gateway, 'body-idle')).toBe(1)
      expect(upstream.requests).toEqual([])
      expect((await send(gateway.port, '/api/y', { method: 'POST', body: kind })).text).toBe(String(kind.length))
    },
  )

  it('A7 G8 a chunked one of a byte a second is 408 after 20 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const { upstream } = await countingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const client = open(gateway, KINDS.chunked)
    await pass(22, () => client.isClosed() || client.socket.write('1\r\nx\r\n'))
    expect(client.statuses()).toEqual(['408'])
    expect(await figureOf(gateway, 'body-slow')).toBe(1)
  })

  it('A7 E7 one that the replica does not read is 504 after a minute, because the client did not cause it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const { upstream } = await countingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    upstream.server.removeAllListeners('request')
    upstream.server.on('request', (request, response) => void (request.url === '/readyz' && response.end('{}')))
    const client = open(gateway, postOf('/api/x', 40_000_000, 'x'.repeat(30_000_000)))
    await settle()
    await pass(55)
    expect(client.received()).toBe('')
    await pass(12)
    expect(client.statuses()).toEqual(['504'])
    expect(await figureOf(gateway, 'body-unread')).toBe(1)
  })

  it('A7 G8 one whose path takes no body is closed after its response', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const { upstream } = await countingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const client = open(gateway, postOf('/about', 10_000_000))
    await pass(14, () => client.isClosed() || client.socket.write('x'.repeat(2000)))
    expect(client.statuses()).toEqual(['405'])
    expect(client.isClosed()).toBe(true)
    expect(await figureOf(gateway, 'body-after-response')).toBe(1)
  })
})

describe('the bytes that wait in the gateway', () => {
  it('A7 G8 are bounded: the address that holds most loses its oldest body, with 503', async () => {
    const { upstream, begun } = await countingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream), waitingBodiesBytes: 8 * 65_536 })
    const attackers: RawClient[] = []
    for (let index = 0; index < 8; index++) {
      attackers.push(open(gateway, KINDS.small, `127.0.0.${2 + (index % 2)}`))
      await settle()
    }
    const client = open(gateway, postOf('/api/form', 60_000, 'x'.repeat(30_000)))
    await expect.poll(attackers[0]!.statuses).toEqual(['503'])
    expect(attackers[0]!.received()).toMatch(/^retry-after: 1/im)
    await expect.poll(attackers[0]!.isClosed).toBe(true)
    await expect.poll(() => lineOf(gateway, 'body-displaced')).toMatchObject({ status: 503 })
    // A hundred more from the attacker have no room: its address holds as much as any.
    for (let index = 0; index < 100; index++) attackers.push(open(gateway, KINDS.small, '127.0.0.2'))
    await expect.poll(() => figureOf(gateway, 'bodies-full')).toBe(100)
    expect(await figureOf(gateway, 'body-displaced')).toBe(1)
    expect(begun).toEqual([])
    client.socket.write('x'.repeat(30_000))
    await expect.poll(client.received).toContain('60000')
    expect(begun).toEqual(['/api/form'])
  })

  it('A7 G8 are not needed for a body that arrives with its head', async () => {
    const { upstream } = await countingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream), waitingBodiesBytes: 0 })
    const client = open(gateway, postOf('/api/form', 1000, 'x'.repeat(1000)))
    await expect.poll(client.received).toContain('1000')
    const late = open(gateway, postOf('/api/form', 1000))
    await expect.poll(late.statuses).toEqual(['503'])
  })

  it('A7 are released when a client disconnects and when a body is passed on', async () => {
    const { upstream } = await countingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream), waitingBodiesBytes: 65_536 })
    for (let round = 0; round < 3; round++) {
      const leaving = open(gateway, KINDS.small)
      await settle()
      leaving.socket.destroy()
      await settle()
      const client = open(gateway, KINDS.small)
      await settle()
      client.socket.write('x'.repeat(536))
      await expect.poll(client.received).toContain('65536')
    }
    expect(await figureOf(gateway, 'body-displaced')).toBe(0)
  })
})

describe('the slots of a replica for arriving bodies', () => {
  it.each(kinds.slice(1))(
    'A7 G8 are bounded for %s ones: an address that holds most gets no more',
    async (_kind, text) => {
      const { upstream, begun } = await countingUpstream()
      const gateway = await gatewayOf({ upstreams: all(upstream), replicaOptions: { inFlightLimit: 16 } })
      const client = open(gateway, postOf('/api/slow', 'chunked', '3\r\nabc\r\n'))
      await expect.poll(() => begun).toEqual(['/api/slow'])
      const attackers = Array.from({ length: 20 }, () => open(gateway, text, '127.0.0.2'))
      await expect.poll(() => attackers.filter(({ statuses }) => statuses()[0] === '503').length).toBe(17)
      expect(await figureOf(gateway, 'bodies-full')).toBe(17)
      const other = open(gateway, postOf('/api/other', 'chunked', '3\r\nabc\r\n'), '127.0.0.3')
      await expect.poll(() => figureOf(gateway, 'body-displaced')).toBe(1)
      other.socket.write('0\r\n\r\n')
      await expect.poll(other.received).toContain('\r\n3')
      client.socket.write('3\r\nabc\r\n0\r\n\r\n')
      await expect.poll(client.received).toContain('\r\n6')
      expect((await send(gateway.port, '/api/y', { method: 'POST', body: 'x' })).status).toBe(200)
    },
  )

  it('A7 are free for the next body as soon as one has arrived', async () => {
    const upstream = await upstreamOf('silent', { respond: () => {} })
    const gateway = await gatewayOf({ upstreams: all(upstream), replicaOptions: { inFlightLimit: 4 } })
    for (let index = 0; index < 3; index++) {
      const client = open(gateway, postOf('/api/x', 'chunked', '3\r\nabc\r\n'))
      await settle()
      client.socket.write('0\r\n\r\n')
      await expect.poll(() => upstream.requests.length).toBe(index + 1)
    }
    await settle()
    expect(await figureOf(gateway, 'body-displaced')).toBe(0)
  })
})

describe('one client behind a trusted proxy', () => {
  it('G8 has a limited number of running requests; its proxy and other clients have none of its limit', async () => {
    let end = () => {}
    const held = new Promise<void>((done) => {
      end = done
    })
    const upstream = await upstreamOf('slow', {
      respond: (request, response) =>
        void (request.url === '/slow' ? held.then(() => response.end()) : response.end('ok')),
    })
    const options = { trustedProxies: ['127.0.0.1'], maxConnectionsPerAddress: 2 }
    const gateway = await gatewayOf({ upstreams: all(upstream), ...options })
    const get = (path: string, client: string) => send(gateway.port, path, { headers: { 'x-forwarded-for': client } })
    const running = ['2001:db8::1', '2001:db8::2'].map((client) => get('/slow', client))
    await expect.poll(() => upstream.requests.length).toBe(2)
    const refused = await get('/x', '2001:db8::3')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect((await get('/x', '2001:db8:0:1::1')).text).toBe('ok')
    expect((await send(gateway.port, '/x')).text).toBe('ok')
    expect(lineOf(gateway, 'requests-per-address')).toMatchObject({ status: 503 })
    end()
    await Promise.all(running)
    expect((await get('/x', '2001:db8::3')).text).toBe('ok')
  })

  it('G8 is limited by connections where no proxy is trusted', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream), maxConnectionsPerAddress: 2 })
    const connections = [open(gateway, ''), open(gateway, ''), open(gateway, '')]
    // Which of connections that arrive together is accepted first is not defined.
    await expect.poll(() => connections.filter(({ isClosed }) => isClosed())).toHaveLength(1)
    expect(await figureOf(gateway, 'connections-per-address')).toBe(1)
    await expect
      .poll(() => gateway.lines.find(({ event }) => event === 'refused'), { timeout: 3000 })
      .toMatchObject({
        counts: { 'public connections-per-address': 1 },
      })
  })
})
