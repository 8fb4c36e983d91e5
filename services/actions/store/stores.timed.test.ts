// The contract for all three stores; Redis is a real server with a real clock.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { describeBudgets } from '../testing/submission-budgets-contract.ts'
import { describeSubmissionStore } from '../testing/submission-store-contract.ts'
import { noteEvents, TEST_SEAL } from '../testing/test-store.ts'
import { createRedisStore, createStateRedis } from './redis-store.ts'
import { createSqliteStore } from './sqlite-store.ts'
import type { Budgets } from './submission-store.ts'

describe('in memory', () => {
  const open = async (budgets?: Budgets) => {
    const clock = createFakeClock()
    const events = noteEvents()
    const store = createMemoryStore({ now: clock.now, seal: TEST_SEAL, events, ...(budgets && { budgets }) })
    return { store, replica: store, noted: events.noted, pass: clock.advance, stop: () => store.close() }
  }
  describeSubmissionStore('memory', open)
  describeBudgets('memory', open)
})

describe('in a file', () => {
  const open = async (budgets?: Budgets) => {
    const clock = createFakeClock()
    const dir = await mkdtemp(join(tmpdir(), 'portico-submissions-'))
    const events = noteEvents()
    const file = join(dir, 'data', 'submissions.sqlite')
    const openStore = () =>
      createSqliteStore({ file, now: clock.now, seal: TEST_SEAL, events, ...(budgets && { budgets }) })
    const [store, replica] = [openStore(), openStore()]
    return {
      store,
      replica,
      noted: events.noted,
      pass: clock.advance,
      async stop() {
        await store.close()
        await replica.close()
        await rm(dir, { recursive: true })
      },
    }
  }
  describeSubmissionStore('SQLite', open)
  describeBudgets('SQLite', open)
})

describe.skipIf(!hasRedis())('with a Redis server', () => {
  const log = createLog('actions', 'silent')
  let server: StackRedis
  let admin: Redis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    admin = new Redis(server.url.href)
  })
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })

  const open = async (url = server.urlOf('actions'), budgets?: Budgets) => {
    const redis = createStateRedis(url, { log, commandTimeoutMs: 200 })
    await new Promise((done) => redis.once('ready', done))
    const events = noteEvents()
    const store = createRedisStore(redis, { seal: TEST_SEAL, events, ...(budgets && { budgets }) })
    return { store, noted: events.noted }
  }
  const openBoth = async (budgets?: Budgets) => {
    await admin.flushall()
    const [{ store, noted }, { store: replica }] = [await open(undefined, budgets), await open(undefined, budgets)]
    return {
      store,
      replica,
      noted,
      pass: (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds)),
      async stop() {
        await store.close()
        await replica.close()
      },
    }
  }
  describeSubmissionStore('Redis', openBoth)
  describeBudgets('Redis', openBoth)

  it('A5 a Redis that lost its index starts counting again', async () => {
    const test = await openBoth({ client: 1e9, address: 1e9, total: 2 * 1536 })
    const holder = { client: 'c', address: 'a' }
    const begin = (id: string) =>
      test.store.begin(id, { fingerprint: 'f', owner: 'o', holder, leaseMs: 1000, keepMs: 1000, takeOver: false })
    const finish = (id: string) => test.store.finish(id, 'o', { status: 200 }, { keepMs: 1000, bodyKeepMs: 1000 })
    for (const id of ['1', '2']) expect([await begin(id), await finish(id)]).toEqual([{ kind: 'started' }, true])
    await admin.del('portico:submissions:accounts')
    expect(await test.store.usage()).toBe(0)
    for (const id of ['3', '4', '5']) expect([await begin(id), await finish(id)]).toEqual([{ kind: 'started' }, true])
    expect(await test.store.usage()).toBe(2 * 1536)
    await test.stop()
  })

  it('A9 rejects immediately while Redis is unavailable, in time while it is frozen, and recovers automatically', async () => {
    const own = await startRedis()
    const { store } = await open(own.url)
    own.pause()
    const startedAt = Date.now()
    await expect(store.ping()).rejects.toThrow()
    expect(Date.now() - startedAt).toBeLessThan(1000)
    own.resume()
    await expect
      .poll(() =>
        store.ping().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await own.stop()
    await expect
      .poll(() =>
        store.ping().then(
          () => 'up',
          () => 'away',
        ),
      )
      .toBe('away')
    const again = await startRedis(Number(own.url.port))
    await expect
      .poll(
        () =>
          store.ping().then(
            () => true,
            () => false,
          ),
        { timeout: 5000 },
      )
      .toBe(true)
    await store.close()
    await again.stop()
  })
})
