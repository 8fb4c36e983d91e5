// The algorithm in this process and in Redis: one table for both.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '../observe/log.ts'
import { connectRedis, isReadyWithin } from '../store/redis.ts'
import { hasRedis, type StackRedis, startStackRedis } from '../testing/redis-server.ts'
import { createClientLimit, retryAfterOf } from './client-limit.ts'
import { clientKey, createSharedTurns, takeRedisTurn } from './redis-turns.ts'
import { endOfWaiting, MINUTE_MS, takeTurn } from './turns.ts'

type TurnRedis = Parameters<typeof takeRedisTurn>[0]

/** The waits of turns that are taken at these times. */
function waitsOf(times: readonly number[], perMinute: number): number[] {
  let end: number | undefined
  return times.map((now) => {
    const turn = takeTurn(end, now, perMinute)
    end = turn.end
    return turn.waitMs
  })
}

describe('turns of a client', () => {
  test.each<[string, number, number[], number[]]>([
    ['as many in a row as in a minute', 3, [0, 0, 0], [0, 0, 0]],
    ['no more than that', 3, [0, 0, 0, 0, 5000], [0, 0, 0, 20_000, 15_000]],
    ['then one in each part of the minute', 3, [0, 0, 0, 20_000, 20_001, 40_000], [0, 0, 0, 0, 19_999, 0]],
    ['refused ones are not counted', 1, [0, 1, 2, 59_999, 60_000], [0, 59_999, 59_998, 1, 0]],
    ['all of them again after a minute without one', 2, [0, 0, 60_000, 60_000, 60_000], [0, 0, 0, 0, 30_000]],
    ['an even pace is never refused', 60, [0, 1000, 2000, 3000], [0, 0, 0, 0]],
    ['the last one in a row at a fraction of a millisecond', 1, [5536.1], [0]],
    ['as many in a row where they do not divide a minute', 13, Array(13).fill(0.1), Array(13).fill(0)],
    ['no credit for a longer time than a minute', 2, [0, 600_000, 600_000, 600_000], [0, 0, 0, 30_000]],
  ])('G8 %s', (_title, perMinute, times, waits) => {
    expect(waitsOf(times, perMinute)).toEqual(waits)
  })

  test('G8 the end of a wait leads to the same wait', () => {
    expect(takeTurn(endOfWaiting(1500, 10_000, 40), 10_000, 40).waitMs).toBe(1500)
  })

  test.each([
    [1, 1],
    [1000, 1],
    [1001, 2],
    [60_000, 60],
  ])('G8 Retry-After of %i ms is %i s', (waitMs, seconds) => {
    expect(retryAfterOf(waitMs)).toBe(seconds)
  })
})

describe('the limit of clients', () => {
  test('G8 each IPv4 address and each /64 has its own turns, and IPv4 in IPv6 is IPv4', async () => {
    const { take } = createClientLimit({ perMinute: 1, now: () => 0 })
    const waits = await Promise.all(
      ['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map(take),
    )
    expect(waits.map((waitMs) => waitMs > 0)).toEqual([false, false, true, false, true, false])
  })

  test('G8 a client above its limit costs no command, also one whose turns other replicas took', async () => {
    const shared: string[] = []
    let waitMs = 0
    let now = 0
    const takeShared = async (network: string) => {
      shared.push(network)
      return waitMs
    }
    const { take } = createClientLimit({ perMinute: 2, takeShared, now: () => now })
    expect(await take('192.0.2.1')).toBe(0)
    waitMs = 7000
    expect(await take('192.0.2.1')).toBe(7000)
    now = 6999
    expect(await take('192.0.2.1')).toBe(1)
    expect(shared).toHaveLength(2)
    waitMs = 0
    now = 7000
    expect(await take('192.0.2.1')).toBe(0)
    expect(shared).toHaveLength(3)
  })

  test('G8 while the store is unavailable the replica counts for itself, in bounded memory', async () => {
    const { take } = createClientLimit({ perMinute: 1, takeShared: async () => undefined, now: () => 0, most: 2 })
    expect(await take('a')).toBe(0)
    expect(await take('a')).toBe(MINUTE_MS)
    for (const other of ['b', 'c']) await take(other)
    // Forgotten for the others.
    expect(await take('a')).toBe(0)
  })
})

describe('a store that does not respond', () => {
  test('G8 costs one request 50 ms, the next ones nothing for a second, and one line of the log', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const lines: { event: string }[] = []
      const log = createLog('gateway', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) })
      let reply: Promise<unknown> = new Promise(() => {})
      let commands = 0
      const redis = {
        status: 'ready',
        eval() {
          commands++
          return reply
        },
      }
      const takeShared = createSharedTurns({ redis, perMinute: 1, keyOf: (network) => network, log })
      const frozen = takeShared('a')
      await vi.advanceTimersByTimeAsync(50)
      expect(await frozen).toBeUndefined()
      expect(await takeShared('a')).toBeUndefined()
      expect(commands).toBe(1)
      await vi.advanceTimersByTimeAsync(1000)
      redis.status = 'reconnecting'
      expect(await takeShared('a')).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1000)
      redis.status = 'ready'
      reply = Promise.resolve(0)
      expect(await takeShared('a')).toBe(0)
      expect(commands).toBe(2)
      expect(lines.map(({ event }) => event)).toEqual(['limits-local', 'limits-shared'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('G8 a client without a key is not sent to the store', async () => {
    const log = createLog('gateway', 'silent')
    const redis = { status: 'ready', eval: () => Promise.reject(new Error('sent')) }
    expect(await createSharedTurns({ redis, perMinute: 1, keyOf: () => undefined, log })('a')).toBeUndefined()
  })
})

test('G8 in Redis the turns of a minute take no longer than a minute', async () => {
  const sent: unknown[] = []
  await takeRedisTurn({ eval: async (...args) => void sent.push(...args.slice(3)) }, 'key', 7)
  expect(sent).toEqual([8_571_428, 60_000_000])
})

test('O9 the key of a client has no address, and differs between stacks', () => {
  const key = clientKey('192.0.2.1', 'secret')
  expect(key).toMatch(/^[\w-]{22}$/)
  expect(clientKey('192.0.2.1', 'secret')).toBe(key)
  expect(new Set([key, clientKey('192.0.2.1', 'other'), clientKey('192.0.2.2', 'secret')]).size).toBe(3)
})

describe.skipIf(!hasRedis()).each([
  ['redis-state', 'gateway', 'portico:limit:post:'],
  ['redis-cache', 'images', '{portico-images-1:limit:'],
] as const)('turns in %s, as the user %s', (store, user, prefix) => {
  let server: StackRedis
  let redis: ReturnType<typeof connectRedis>
  beforeAll(async () => {
    server = await startStackRedis(store)
    redis = connectRedis(server.urlOf(user), 'state')
    redis.on('error', () => {})
    expect(await isReadyWithin(redis, 5000)).toBe(true)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  const take = (key: string, perMinute: number) => takeRedisTurn(redis as TurnRedis, prefix + key, perMinute)

  test('G8 as many in a row as in a minute, and then a wait', async () => {
    const [key, other] = [`a${Math.random()}`, `b${Math.random()}`]
    const waits = [await take(key, 3), await take(key, 3), await take(key, 3), await take(key, 3)]
    expect(waits.slice(0, 3)).toEqual([0, 0, 0])
    expect(waits[3]).toBeGreaterThan(19_000)
    expect(waits[3]).toBeLessThanOrEqual(20_000)
    expect(await take(other, 3)).toBe(0)
  })

  test('G8 the next turn is there when its time has come, and keys end', async () => {
    // One in 100 ms.
    const fast = 600
    const key = `c${Math.random()}`
    const first = await Promise.all(Array.from({ length: fast }, () => take(key, fast)))
    expect(first.every((waitMs) => waitMs === 0)).toBe(true)
    let waitMs = 1
    for (let attempt = 0; waitMs > 0 && attempt < 100; attempt++) {
      waitMs = await take(key, fast)
      if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs))
    }
    expect(waitMs).toBe(0)
    const admin = connectRedis(server.url, 'state')
    admin.on('error', () => {})
    await isReadyWithin(admin, 5000)
    await take('d', 3)
    const ttl = await admin.pttl(`${prefix}d`)
    expect(ttl).toBeGreaterThan(0)
    expect(ttl).toBeLessThanOrEqual(20_000)
    admin.disconnect()
  })
})
