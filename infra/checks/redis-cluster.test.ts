// Everything that services keep in Redis works in a Cluster of three masters, as the users of docker-compose.yml: keys of
// one command are in one slot, and messages reach subscribers at every node (O2, I5, I9, A5, C5).

import { randomBytes } from 'node:crypto'
import { createRedisPurgeProgress } from '@portico/actions/cdn-purge/purge-progress.ts'
import { createRedisStore, createStateRedis, openConfirmedScript } from '@portico/actions/store/redis-store.ts'
import { HOLDER, noteEvents, TEST_SEAL } from '@portico/actions/testing/test-store.ts'
import { createRedisFileStore } from '@portico/gateway/files/file-store-redis.ts'
import { publishTo } from '@portico/gateway/testing.ts'
import {
  createRedisLink,
  createRedisLock,
  createRedisPurges,
  createRedisStore as createVariantStore,
} from '@portico/images/cache/cache-redis.ts'
import { createBudget } from '@portico/images/cache/variant-store.ts'
import { variantOf } from '@portico/images/testing/load-images.ts'
import { createRedisGenerationReader, createRedisGenerations } from '@portico/shared/kit/feed/redis-generations.ts'
import { subscribeToInvalidations } from '@portico/shared/kit/feed/subscribe.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { isReadyWithin } from '@portico/shared/kit/store/redis.ts'
import { hasRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { askAdmin, startRedisCluster, type Topology } from '@portico/shared/kit/testing/redis-topologies.ts'
import { INVALIDATION_CHANNEL } from '@portico/shared/wire/invalidation.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const log = createLog('test', 'silent')

describe.skipIf(!hasRedis())('a Cluster of three masters', () => {
  let state: Topology
  let cache: Topology
  beforeAll(async () => {
    const start = (store: 'redis-state' | 'redis-cache') => startRedisCluster({ store, masters: 3 })
    ;[state, cache] = await Promise.all([start('redis-state'), start('redis-cache')])
  })
  afterAll(async () => {
    await Promise.all([state.stop(), cache.stop()])
  })

  const openState = async (query = '?replicas=0') => {
    const url = state.urlOf('actions', query)
    const redis = createStateRedis(url, { log })
    const confirmed = openConfirmedScript(url)
    const store = createRedisStore(redis, { seal: TEST_SEAL, events: noteEvents(), confirmed })
    onTestFinished(() => store.close())
    expect(await isReadyWithin(redis, 5000)).toBe(true)
    await store.ping()
    return { redis, store }
  }
  const times = { keepMs: 60_000, bodyKeepMs: 60_000 }
  const run = { fingerprint: 'f', owner: 'o', holder: HOLDER, leaseMs: 10_000, keepMs: 60_000, takeOver: false }

  test('A5 a submission runs once if the address expects no replica to confirm it, and its response is kept', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => name + randomBytes(6).toString('hex')) as [string, string, string]
    const replicated = (await openState('')).store.begin(c, run)
    const unconfirmed = expect(replicated).rejects.toThrow('0 of 1 replicas of the state store confirmed')
    const { store } = await openState()
    expect(await store.begin(a, run)).toEqual({ kind: 'started' })
    expect(await store.renew(a, 'o', 10_000, 60_000)).toBe(true)
    expect(await store.finish(a, 'o', { status: 200, body: 'text' }, times)).toBe(true)
    // Two records of one command, as after a change of the session.
    const again = await store.begin(b, { ...run, owner: 'p', otherIds: [a] })
    expect(again).toEqual({ kind: 'finished', fingerprint: 'f', kept: { status: 200, body: 'text' } })
    expect(await store.usage()).toBeGreaterThan(0)
    await unconfirmed
  })

  test('C5 D6 an invalidation is counted, read and received by every subscriber', async () => {
    const { redis } = await openState()
    const received: string[] = []
    const names = ['one', 'two', 'three', 'four']
    for (const name of names) {
      const url = state.urlOf('renderer')
      onTestFinished(subscribeToInvalidations(url, name, ({ paths }) => void received.push(`${name} ${paths}`)))
    }
    const generations = createRedisGenerations(redis)
    const { generation, epoch } = await generations.raise({ paths: ['/a'], tags: ['t'] })
    const reader = createRedisGenerationReader(state.urlOf('renderer'), 'reader')
    onTestFinished(() => reader.close())
    await expect.poll(() => reader.read(0).catch(() => undefined)).toMatchObject({ epoch, generation })
    expect((await reader.read(0)).marks.map(({ name }) => name).sort()).toEqual(['/a', 't'])
    const text = JSON.stringify({ generation, epoch, paths: ['/a'], tags: [], everything: false })
    await expect
      .poll(async () => {
        await redis.publish(INVALIDATION_CHANNEL, text)
        return new Set(received).size
      })
      .toBe(names.length)
  })

  test('G3 O9 C6 files, secrets and the progress of a CDN are kept', async () => {
    const files = createRedisFileStore(state.urlOf('gateway'), log)
    onTestFinished(() => files.close())
    const entry = { size: 1, type: 'text/plain', etag: '"1"', encodings: {} }
    const names = Array.from({ length: 12 }, (_, index) => `file-${index}.js`)
    const fileOf = (name: string) => ({ folder: 'public' as const, name, entry, read: async () => Buffer.from(name) })
    expect(await publishTo(files, names.map(fileOf))).toEqual([])
    for (const name of names)
      expect(await (await files.find('public', name))?.open('identity')).toEqual({
        kind: 'memory',
        bytes: Buffer.from(name),
      })
    const load = async (user: 'actions' | 'renderer') => {
      const settings = { stateRedisUrl: state.urlOf(user), dataDir: '', stackToken: undefined, actionKeys: [] }
      const { token, keys, close } = await openSecrets(settings, log)
      onTestFinished(close)
      return [token.current(), keys.current()]
    }
    expect(await load('actions')).toEqual(await load('renderer'))
    const { redis } = await openState()
    const progress = createRedisPurgeProgress(redis, 'one')
    expect(await progress.claim()).toEqual({ progress: undefined })
    expect(await progress.save({ version: 'v', epoch: 'e', generation: 1 })).toBe(true)
  })

  test('I5 I6 I9 variants are at all nodes, replicas lock each other out, and a purge reaches and counts them', async () => {
    const open = async () => {
      const link = createRedisLink(cache.urlOf('images'), log)
      onTestFinished(() => link.close())
      const purges = createRedisPurges(link, log)
      const store = createVariantStore({ link, observePurges: purges.observe })
      expect(await link.connected(5000)).toBe(true)
      return { purges, store, lock: createRedisLock(link) }
    }
    const [one, two] = [await open(), await open()]
    const variants = Array.from({ length: 24 }, (_, index) => variantOf(`/${index}.png`, 3))
    for (const each of variants) expect(await one.store.set(each, 60_000)).toBe(true)
    const keys = variants.map(({ meta }) => meta.key)
    expect(await two.store.getMany(keys, createBudget(2000))).toEqual(variants)
    for (const node of cache.nodes) expect(await askAdmin(node, (admin) => admin.dbsize())).toBeGreaterThan(1)
    const held = await one.lock.acquire('work', createBudget(1000))
    expect([held.kind, (await two.lock.acquire('work', createBudget(1000))).kind]).toEqual(['mine', 'theirs'])
    if (held.kind === 'mine') await held.release()
    expect((await two.lock.acquire('work', createBudget(1000))).kind).toBe('mine')
    expect(await one.purges.purge({ kind: 'source', value: '/1.png' })).toMatchObject({ replicas: 2 })
    await expect.poll(() => variants.filter(({ meta }) => two.purges.isPurged(meta)).length).toBe(1)
  })
})
