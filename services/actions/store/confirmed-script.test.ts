import { randomBytes } from 'node:crypto'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { connectRedis, isReadyWithin, type RedisClient } from '@portico/shared/kit/store/redis.ts'
import { hasRedis, type StackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { startReplicated } from '@portico/shared/kit/testing/redis-topologies.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { HOLDER, noteEvents, TEST_SEAL } from '../testing/test-store.ts'
import { createConfirmedScript } from '../testing.ts'
import { createRedisStore, createStateRedis } from './redis-store.ts'

const log = createLog('test', 'silent')

test('A5 a submission that waits for a second behind earlier ones is refused, and is not sent later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent: unknown[] = []
  const replies: ((results: unknown) => void)[] = []
  const pipeline = {
    callBuffer: (_name: string, lua: string) => sent.push(lua),
    wait: () => ({ exec: () => new Promise((resolve) => replies.push(resolve)) }),
  }
  // What the function uses.
  const redis = { status: 'ready', pipeline: () => pipeline } as unknown as RedisClient
  const { run } = createConfirmedScript(redis, 1)
  const first = run('first', [1, 'key'])
  await expect.poll(() => sent).toEqual(['first'])
  const late = run('late', [1, 'key'])
  vi.advanceTimersByTime(500)
  const next = run('next', [1, 'key'])
  vi.advanceTimersByTime(501)
  replies[0]?.([
    [null, ['started']],
    [null, 1],
  ])
  expect(await first).toEqual(['started'])
  await expect(late).rejects.toThrow('the state store was busy with earlier submissions')
  expect(sent).toEqual(['first', 'next'])
  replies[1]?.([
    [null, ['started']],
    [null, 1],
  ])
  expect(await next).toEqual(['started'])
})

describe.skipIf(!hasRedis())('submissions that a replica confirms', () => {
  let master: StackRedis
  let replica: StackRedis
  beforeAll(async () => {
    const [first, second] = await startReplicated('redis-state', 1)
    master = first
    replica = second!
  })
  afterAll(async () => {
    await replica.stop()
    await master.stop()
  })

  const open = async () => {
    const redis = createStateRedis(master.urlOf('actions'), { log })
    const own = connectRedis(master.urlOf('actions'), 'state')
    own.on('error', () => {})
    const confirmed = createConfirmedScript(own, 1)
    const store = createRedisStore(redis, { seal: TEST_SEAL, events: noteEvents(), confirmed })
    onTestFinished(() => store.close())
    expect([await isReadyWithin(redis, 5000), await isReadyWithin(own, 5000)]).toEqual([true, true])
    // A test that runs again has other records.
    const prefix = randomBytes(6).toString('hex')
    const begin = (id: string, owner = 'o') =>
      store.begin(prefix + id, {
        fingerprint: 'f',
        owner,
        holder: HOLDER,
        leaseMs: 10_000,
        keepMs: 60_000,
        takeOver: false,
      })
    await expect.poll(() => begin('first', randomBytes(6).toString('hex')).catch(() => undefined)).toBeDefined()
    return { begin, prefix, store }
  }

  test('A5 many at the same time start, each once', async () => {
    const { begin } = await open()
    const ids = Array.from({ length: 300 }, (_, index) => `id-${index % 150}`)
    const kinds = (await Promise.all(ids.map((id, index) => begin(id, `owner-${index}`)))).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'started')).toHaveLength(150)
    expect(kinds.filter((kind) => kind === 'running')).toHaveLength(150)
  })

  test('A5 none starts while the replica does not confirm, and results of earlier ones are repeated', async () => {
    const { begin, prefix, store } = await open()
    expect(await begin('kept')).toEqual({ kind: 'started' })
    await store.finish(`${prefix}kept`, 'o', { status: 200 }, { keepMs: 60_000, bodyKeepMs: 60_000 })
    replica.pause()
    const late = Promise.allSettled([begin('late-1'), begin('late-2'), begin('kept', 'p')])
    const rejected = {
      status: 'rejected',
      reason: new Error('0 of 1 replicas of the state store confirmed the submission'),
    }
    expect(await late).toEqual([
      rejected,
      rejected,
      { status: 'fulfilled', value: { kind: 'finished', fingerprint: 'f', kept: { status: 200 } } },
    ])
    // The same owner again: its record is there, and is still not confirmed.
    await expect(begin('late-2')).rejects.toThrow('0 of 1 replicas')
    // Other commands do not wait for the replica.
    await store.ping()
    replica.resume()
    await store.abandon(`${prefix}late-1`, 'o')
    await expect.poll(() => begin('late-1').catch(() => undefined)).toEqual({ kind: 'started' })
    expect(await begin('late-2')).toEqual({ kind: 'started' })
  })

  test('A5 none starts while the store is unavailable', async () => {
    const { begin, store } = await open()
    await store.close()
    await expect(begin('closed')).rejects.toThrow()
  })
})
