import { createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Registry } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readGatewayConfig } from '../config.ts'
import { openState } from '../control/state-redis.ts'
import { all, send, type TestGateway } from '../testing/gateway-fixture.ts'
import { openClient, postOf } from '../testing/open-client.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

const TRUSTED = { trustedProxies: ['127.0.0.1'] }

/** A gateway whose clients may send two requests a minute. */
async function limitedGateway(options: { trustedProxies?: string[] } = {}) {
  const upstream = await upstreamOf()
  let now = 0
  const postLimit = createClientLimit({ perMinute: 2, now: () => now })
  const gateway = await gatewayOf({ upstreams: all(upstream), postLimit, ...options })
  return {
    gateway,
    upstream,
    pass: (ms: number) => {
      now += ms
    },
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (gateway: Pick<TestGateway, 'port'>, client = '192.0.2.1', path = '/api/x') =>
  send(gateway.port, path, { method: 'POST', headers: { ...FORM, 'x-forwarded-for': client }, body: 'a=1' })

describe('the limit of requests that change something', () => {
  it('G8 E2 more of one client get 429 with Retry-After, and no service runs them', async () => {
    const { gateway, upstream, pass } = await limitedGateway()
    expect([(await post(gateway)).status, (await post(gateway)).status]).toEqual([200, 200])
    const refused = await post(gateway)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
    expect(refused.headers['cache-control']).toBe('private, no-store')
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'too-many-requests' } })
    const form = await post(gateway, '192.0.2.1', '/things')
    expect([form.status, form.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8'])
    expect(form.text).toContain('Too many requests')
    expect(upstream.requests).toHaveLength(2)
    expect((await send(gateway.port, '/api/x')).status).toBe(200)
    const line = gateway.lines.find(({ refused: limit }) => limit === 'post-rate')
    expect(line).toMatchObject({ status: 429, code: 'too-many-requests' })
    expect(await gateway.registry.metrics()).toContain('portico_refused_total{listener="public",reason="post-rate"} 2')
    pass(30_000)
    expect((await post(gateway)).status).toBe(200)
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('G8 %s counts as POST does', async (method) => {
    const { gateway } = await limitedGateway()
    const statuses: number[] = []
    for (const each of ['POST', method, method, 'OPTIONS', 'GET'])
      statuses.push((await send(gateway.port, '/api/x', { method: each })).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200])
  })

  it('G5 G8 is for the client that a trusted proxy names, of IPv6 for its /64; the proxy itself has none', async () => {
    const { gateway } = await limitedGateway(TRUSTED)
    const clients = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '192.0.2.1']
    const statuses: number[] = []
    for (const client of clients) statuses.push((await post(gateway, client)).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200])
    for (let count = 0; count < 3; count++)
      expect((await send(gateway.port, '/api/x', { method: 'POST' })).status).toBe(200)
  })

  it('G5 G8 an untrusted client gains nothing by a header', async () => {
    const { gateway } = await limitedGateway()
    const statuses: number[] = []
    for (const client of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) statuses.push((await post(gateway, client)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('G8 the rest of a refused body is not read as another request', async () => {
    const { gateway, upstream } = await limitedGateway()
    for (let count = 0; count < 2; count++) await post(gateway)
    const client = openClient(gateway.port, postOf('/api/x', 100_000, 'x'.repeat(10)))
    await expect.poll(() => client.isClosed()).toBe(true)
    expect(client.statuses()).toEqual(['429'])
    expect(client.received().toLowerCase()).toContain('connection: close')
    expect(upstream.requests).toHaveLength(2)
  })
})

it('G8 RATE_LIMIT_POSTS is off by default', () => {
  expect(readGatewayConfig({}, () => {}).postsPerMinute).toBe(0)
  expect(readGatewayConfig({ RATE_LIMIT_POSTS: '30' }, () => {}).postsPerMinute).toBe(30)
  expect(() => readGatewayConfig({ RATE_LIMIT_POSTS: '-1' }, () => {})).toThrow('RATE_LIMIT_POSTS="-1"')
})

describe.skipIf(!hasRedis())('two gateways and the state Redis', () => {
  let server: StackRedis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
  })
  afterAll(() => server.stop())

  it('G8 O6 count together, and each for itself while Redis is frozen, which the log says once', async () => {
    const lines: { event: string }[] = []
    const log = createLog('gateway', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) })
    const config = { stateRedisUrl: server.urlOf('gateway'), postsPerMinute: 3 }
    const open = () => openState(config, { token: { current: () => 'token' }, registry: new Registry(), log })
    const states = [await open(), await open()]
    const upstream = await upstreamOf()
    const gateways: TestGateway[] = []
    for (const { postLimit } of states)
      gateways.push(await gatewayOf({ upstreams: all(upstream), postLimit, ...TRUSTED }))
    const turns = async (client: string, count: number) => {
      const statuses: number[] = []
      for (let turn = 0; turn < count; turn++) statuses.push((await post(gateways[turn % 2]!, client)).status)
      return statuses
    }
    // Until both are connected, and where a busy machine takes more than 50 ms, they count for themselves.
    let tried = 0
    const newClient = () => `2001:db8:0:${(tried++).toString(16)}::1`
    await expect.poll(() => turns(newClient(), 5), { timeout: 10_000 }).toEqual([200, 200, 200, 429, 429])
    lines.length = 0
    server.pause()
    expect(await turns(newClient(), 8)).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    expect(lines.map(({ event }) => event)).toEqual(['limits-local', 'limits-local'])
    server.resume()
    for (const state of states) state.close()
  })

  it('O9 no key has an address', async () => {
    const { Redis } = await import('ioredis')
    const admin = new Redis(server.url.href)
    const keys = await admin.keys('*')
    admin.disconnect()
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.filter((key) => !/^portico:limit:post:[\w-]{22}$/.test(key))).toEqual([])
  })
})
