// Purges against a real Redis and a real HTTP server in place of the CDN.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import type { GenerationStore } from '@portico/shared/kit/feed/generations.ts'
import { createRedisGenerations } from '@portico/shared/kit/feed/redis-generations.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Registry } from '@prometheus-io/client'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'
import {
  createCdnMetrics,
  createPurger,
  createPurgeSender,
  PurgeError,
  QUEUE_LIMIT,
  ROLLOUT_MS,
  SETTLE_MS,
} from '../testing.ts'
import type { Purger } from './cdn-purge.ts'
import { createRedisPurgeProgress } from './purge-progress.ts'

type PurgeMessage = Parameters<ReturnType<typeof createPurgeSender>>[0]

interface StandIn {
  url: URL
  received: { message: PurgeMessage; headers: IncomingHttpHeaders }[]
  /** Responds; may be changed. */
  respond: (response: ServerResponse) => void
  close(): Promise<void>
}

async function startCdn(): Promise<StandIn> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      cdn.received.push({ message: JSON.parse(body), headers: request.headers })
      cdn.respond(response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const cdn: StandIn = {
    url: new URL(`http://127.0.0.1:${port}/purge?zone=1`),
    received: [],
    respond: (response) => void response.end('ok'),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return cdn
}

let cdn: StandIn
beforeEach(async () => {
  cdn = await startCdn()
})
afterEach(() => cdn.close())

describe('a request', () => {
  const never = new AbortController().signal
  const message: PurgeMessage = { everything: false, tags: ['a'] }

  it('C6 posts JSON with the authorization', async () => {
    await createPurgeSender({ url: cdn.url, authorization: 'Bearer secret' })(message, never)
    const [{ headers, message: sent }] = cdn.received as [StandIn['received'][0]]
    expect(sent).toEqual(message)
    expect(headers).toMatchObject({ authorization: 'Bearer secret', 'content-type': 'application/json' })
  })

  it('C6 fails for a status that is no success, a redirect, no response in time, and no connection', async () => {
    const target = { url: cdn.url, authorization: undefined }
    const send = createPurgeSender(target)
    cdn.respond = (response) => void response.writeHead(429, { 'retry-after': '7' }).end()
    await expect(send(message, never)).rejects.toMatchObject({ retryAfterMs: 7000 })
    const date = new Date(Date.now() + 60_000).toUTCString()
    cdn.respond = (response) => void response.writeHead(503, { 'retry-after': date }).end()
    await expect(send(message, never)).rejects.toSatisfy(
      ({ retryAfterMs }: PurgeError) => retryAfterMs > 50_000 && retryAfterMs <= 60_000,
    )
    cdn.respond = (response) => void response.writeHead(307, { location: '/other' }).end()
    await expect(send(message, never)).rejects.toThrow(PurgeError)
    cdn.respond = () => {}
    await expect(createPurgeSender(target, 100)(message, never)).rejects.toThrow('within 100 ms')
    expect(cdn.received.length).toBe(4)
    await cdn.close()
    await expect(send(message, never)).rejects.toThrow(PurgeError)
  })
})

describe.skipIf(!hasRedis())('purges', () => {
  let server: StackRedis
  let admin: Redis
  let redis: Redis
  let generations: GenerationStore
  const replicas: Replica[] = []
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    admin = new Redis(server.url.href)
    redis = new Redis(server.urlOf('actions').href)
    generations = createRedisGenerations(redis)
  })
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.stop()
    await admin.flushall()
  })
  afterAll(async () => {
    admin.disconnect()
    redis.disconnect()
    await server.stop()
  })

  interface Replica {
    purger: Purger
    clock: FakeClock
    registry: Registry
    lines: Record<string, unknown>[]
    stop(): Promise<void>
  }

  function start(version = 'v1'): Replica {
    const lines: Record<string, unknown>[] = []
    const log = createLog('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) })
    const feed = createFeed({ reader: generations, log })
    const clock = createFakeClock()
    const registry = new Registry()
    const purger = createPurger({
      feed,
      generations,
      store: createRedisPurgeProgress(redis, randomUUID()),
      send: createPurgeSender({ url: cdn.url, authorization: undefined }, 500),
      version,
      clock,
      metrics: createCdnMetrics(registry),
      log,
      random: () => 1,
    })
    const replica: Replica = {
      purger,
      clock,
      registry,
      lines,
      async stop() {
        await purger.close()
        feed.close()
      },
    }
    replicas.push(replica)
    purger.start()
    return replica
  }

  /** Lets the clocks of all replicas run until the condition holds. */
  const until = (condition: () => unknown, step = 100) =>
    expect
      .poll(
        async () => {
          for (const { clock } of replicas) await clock.advance(step)
          return condition()
        },
        { interval: 5, timeout: 5000 },
      )
      .toBeTruthy()
  /** All that is out of date was purged. */
  const settled = async (...all: Replica[]) => {
    const { generation } = await generations.read(0)
    await until(async () => Number(await admin.hget('portico:cdn', 'generation')) >= generation)
    for (const { clock } of all) await clock.advance(SETTLE_MS)
  }
  const tags = () => cdn.received.map(({ message }) => (message.everything ? '*' : message.tags))
  const raise = (...names: string[]) => generations.raise({ paths: [], tags: names })

  it('C6 sends each change once with two replicas, in whichever process it was counted', async () => {
    await raise()
    const both = [start(), start()]
    await settled(...both)
    expect(tags()).toEqual(['*'])
    for (const name of ['a', 'b', 'c']) {
      await generations.raise({ paths: [`/${name}`], tags: [name, name] })
      await settled(...both)
    }
    expect(
      tags()
        .slice(1)
        .map((each) => [...each].sort()),
    ).toEqual(['a', 'b', 'c'].map((name) => [name, `path~%2F${name}`]))
    const metrics = await Promise.all(
      both.map(({ registry }) => registry.getSingleMetricAsString('portico_cdn_purges_total')),
    )
    const sent = metrics.map((text) => Number(/result="sent"} (\d+)/.exec(text)?.[1]))
    expect(sent[0]! + sent[1]!).toBe(4)
    expect(await both[0]!.registry.getSingleMetricAsString('portico_cdn_purge_queued')).toContain('queued 0')
  })

  it('C6 waits until no gateway sends the earlier page, and sends changes of this time in one request', async () => {
    await raise()
    const one = start()
    await settled(one)
    await raise('a')
    const position = (await generations.read(0)).generation
    await until(async () => Number(await admin.hget('portico:cdn', 'until')) > 0)
    await one.clock.advance(SETTLE_MS - 200)
    // Time for a request that would be sent too early.
    await new Promise((done) => setTimeout(done, 100))
    expect(tags()).toEqual(['*'])
    await raise('b', 'c')
    await settled(one)
    expect(tags().flat()).toEqual(['*', 'a', expect.any(String), expect.any(String)])
    expect(Number(await admin.hget('portico:cdn', 'generation'))).toBeGreaterThan(position)
  })

  it('C6 sends again with growing pauses until the CDN confirms, one line per outage, and survives a restart', async () => {
    await raise()
    const one = start()
    await settled(one)
    cdn.respond = (response) => void response.writeHead(500).end()
    await raise('a')
    const failures = () => one.registry.getSingleMetricAsString('portico_cdn_purges_total')
    await until(async () => (await failures()).includes('result="failed"} 3'))
    expect(await one.registry.getSingleMetricAsString('portico_cdn_purge_queued')).toContain('queued 1')
    expect(one.lines.filter(({ event }) => event === 'cdn-purge-failed').length).toBe(1)
    const attempts = cdn.received.length
    // After 1 and 2 seconds, the third pause is 4.
    await one.clock.advance(3900)
    expect(cdn.received.length).toBe(attempts)
    await one.stop()
    cdn.respond = (response) => void response.end()
    await raise('b')
    await settled(start())
    expect(tags().slice(attempts)).toEqual([['a', 'b']])
  })

  it('C6 more changes than the queue holds, everything, lost marks and a new version purge everything once', async () => {
    await raise()
    const one = start()
    await settled(one)
    await raise(...Array.from({ length: QUEUE_LIMIT + 1 }, (_, at) => `t${at}`))
    await settled(one)
    await generations.raise({ paths: [], tags: [], everything: true })
    await settled(one)
    expect(tags()).toEqual(['*', '*', '*'])
    await admin.flushall()
    await raise('a')
    await settled(one)
    expect(new Set(tags().slice(3))).toEqual(new Set(['*']))
    cdn.received.length = 0
    // The version of the other replica is compared at its start only.
    const two = start('v2')
    await until(() => cdn.received.length === 1)
    await settled(one, two)
    await raise('b')
    await settled(one, two)
    expect(tags()).toEqual(['*', ['b']])
    expect(await admin.hget('portico:cdn', 'version')).toBe('v2')
    const reasons = one.lines.filter(({ event }) => event === 'cdn-purge').map(({ reason }) => reason)
    expect(reasons.slice(0, 3)).toEqual(['new-version', 'overflow', 'everything'])
  })

  it('C6 purges pages of the earlier version once more after the time of a rollout', async () => {
    await raise()
    await settled(start('v1.x'))
    const two = start('v2.x')
    await until(async () => cdn.received.length === 2 && !(await admin.hexists('portico:cdn', 'owner')))
    await two.clock.advance(ROLLOUT_MS - 5000)
    expect(tags()).toEqual(['*', '*'])
    await until(() => cdn.received.length === 3, 1000)
    expect(tags()[2]).toEqual(['version~v1.x'])
  })

  it('C6 the first change of an empty state store is sent as any other', async () => {
    const one = start()
    await until(() => cdn.received.length === 1)
    await raise('a')
    await settled(one)
    expect(tags()).toEqual(['*', ['a']])
  })

  it('C6 a state store that went back to an earlier copy purges everything', async () => {
    await raise()
    const one = start()
    await settled(one)
    const copy = await admin.hget('portico:cdn', 'generation')
    await raise('a')
    await settled(one)
    await admin.hset('portico:marks:head', 'generation', copy!)
    await admin.hset('portico:cdn', 'generation', copy!)
    await admin.del('portico:marks')
    await until(() => cdn.received.length === 3)
    expect(tags()).toEqual(['*', ['a'], '*'])
  })

  it('C6 a Redis that is away delays purges and loses none', async () => {
    await raise()
    const one = start()
    await settled(one)
    await raise('a')
    server.pause()
    await one.clock.advance(5000)
    server.resume()
    await settled(one)
    expect(tags()).toEqual(['*', ['a']])
  })
})
