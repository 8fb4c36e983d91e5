// The contract over all three stores; Redis is a real server, its time passes by itself.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../shared/node/log.ts'
import { hasRedis, type StackRedis, startRedis, startStackRedis } from '../../shared/node/testing/redis-server.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { describeSubmissionStore } from '../testing/submission-store-contract.ts'
import { createMemoryStore } from './memory-store.ts'
import { createRedisStore, createStateRedis } from './redis-store.ts'
import { createSqliteStore } from './sqlite-store.ts'

describeSubmissionStore('memory', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  return { store, replica: store, pass: clock.advance, stop: () => store.close() }
})

describeSubmissionStore('SQLite', async () => {
  const clock = createFakeClock()
  const dir = await mkdtemp(join(tmpdir(), 'portico-submissions-'))
  const open = () => createSqliteStore({ file: join(dir, 'data', 'submissions.sqlite'), now: clock.now })
  const [store, replica] = [open(), open()]
  return {
    store,
    replica,
    pass: clock.advance,
    async stop() {
      await store.close()
      await replica.close()
      await rm(dir, { recursive: true })
    },
  }
})

describe.skipIf(!hasRedis())('with a Redis server', () => {
  const log = createLog('actions', 'silent')
  let server: StackRedis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
  })
  afterAll(() => server.stop())

  const open = async (url = server.urlOf('actions')) => {
    const redis = createStateRedis(url, { log, commandTimeoutMs: 200 })
    await new Promise((done) => redis.once('ready', done))
    return createRedisStore(redis)
  }

  describeSubmissionStore('Redis', async () => {
    const [store, replica] = [await open(), await open()]
    return {
      store,
      replica,
      pass: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
      async stop() {
        await store.close()
        await replica.close()
      },
    }
  })

  it('A9 rejects at once while Redis is away, in time while it is frozen, and works again by itself', async () => {
    const own = await startRedis()
    const store = await open(own.url)
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
