// The stores of purge progress: a SQLite file, and a real Redis with the users of the stack.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { describePurgeProgress } from '../testing/purge-progress-contract.ts'
import { createRedisPurgeProgress, createSqlitePurgeProgress, type PurgeProgressStore } from './purge-progress.ts'

describe('in a file', () => {
  let dataDir = ''
  let time = 1000
  const stores: PurgeProgressStore[] = []
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'portico-cdn-'))
  })
  afterEach(() => {
    for (const store of stores.splice(0)) store.close()
    rmSync(dataDir, { recursive: true })
  })
  describePurgeProgress('SQLite', () => ({
    open(owner) {
      const store = createSqlitePurgeProgress({ dataDir, owner, now: () => time })
      stores.push(store)
      return store
    },
    async pass(milliseconds) {
      time += milliseconds
    },
  }))
})

describe.skipIf(!hasRedis())('in Redis', () => {
  let server: StackRedis
  let admin: Redis
  let redis: Redis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    admin = new Redis(server.url.href)
    redis = new Redis(server.urlOf('actions').href)
  })
  afterEach(() => admin.flushall())
  afterAll(async () => {
    admin.disconnect()
    redis.disconnect()
    await server.stop()
  })
  describePurgeProgress('Redis', () => ({
    open: (owner) => createRedisPurgeProgress(redis, owner),
    // Redis has its own clock: the lease ends earlier instead.
    async pass(milliseconds) {
      await admin.hincrby('portico:cdn', 'until', -milliseconds)
    },
  }))
})
