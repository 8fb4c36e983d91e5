// The stores of generations: SQLite files, and a real Redis with the users of the stack.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeGenerationStore } from '../testing/generation-store-contract.ts'
import { hasRedis, type StackRedis, startStackRedis } from '../testing/redis-server.ts'
import type { GenerationStore } from './generations.ts'
import { createRedisGenerationReader, createRedisGenerations } from './redis-generations.ts'
import { createSqliteGenerations } from './sqlite-generations.ts'

describe('in a file', () => {
  let dataDir = ''
  const opened: GenerationStore[] = []
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'portico-marks-'))
  })
  afterEach(() => {
    for (const store of opened.splice(0)) store.close()
    rmSync(dataDir, { recursive: true })
  })
  const open = () => {
    const store = createSqliteGenerations({ dataDir, now: Date.now })
    opened.push(store)
    return store
  }
  describeGenerationStore('SQLite', open)

  it('C5 counts on from the file after a restart, also when the clock was turned back', async () => {
    const before = await open().raise({ paths: ['/a'], tags: [] })
    const store = createSqliteGenerations({ dataDir, now: () => 5 })
    opened.push(store)
    expect(await store.raise({ paths: [], tags: ['t'] })).toEqual({ ...before, generation: before.generation + 1 })
  })

  it('C5 rejects in a folder that cannot be written, call by call', async () => {
    const store = createSqliteGenerations({ dataDir: '/dev/null/data', now: Date.now })
    await expect(store.read(0)).rejects.toThrow()
    await expect(store.raise({ paths: [], tags: [] })).rejects.toThrow()
    store.close()
  })
})

describe.skipIf(!hasRedis())('in Redis', () => {
  let server: StackRedis
  let admin: Redis
  const clients: Redis[] = []
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    admin = new Redis(server.url.href, { protocol: 2 })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await admin.flushall()
  })
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })
  describeGenerationStore('Redis', () => {
    const redis = new Redis(server.urlOf('actions').href)
    clients.push(redis)
    return createRedisGenerations(redis)
  })

  it('C5 renderers read the marks as a user that may not change them', async () => {
    const redis = new Redis(server.urlOf('actions').href)
    clients.push(redis)
    const { generation, epoch } = await createRedisGenerations(redis).raise({ paths: ['/a'], tags: [] })
    const reader = createRedisGenerationReader(server.urlOf('renderer'), 'test')
    await expect
      .poll(() => reader.read(0).catch(() => undefined))
      .toEqual({
        epoch,
        generation,
        floor: 0,
        marks: [{ kind: 'path', name: '/a', generation }],
      })
    reader.close()
  })
})
