// What an action threw is remembered by all replicas over one Redis, for ten seconds of the real clock (A5).

import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { THROWN_KEEP_MS } from '@portico/shared/wire/constants.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRedisStore, createStateRedis } from '../store/redis-store.ts'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { startActions, type TestActions } from '../testing/start-actions.ts'

const MINE = { headers: { cookie: `portico-visitor=${'m'.repeat(32)}`, 'portico-fresh': 'none' } }

describe.skipIf(!hasRedis())('two replicas over one Redis', () => {
  let redis: StackRedis
  let replicas: TestActions[] = []
  let runs: string[] = []

  const save = (input: unknown) => {
    const { by } = input as { by: string }
    runs.push(by)
    if (runs.filter((each) => each === by).length === 1) throw new Error('the disk is full')
    return by
  }
  const startReplica = () =>
    startActions({
      actions: { save },
      store: (deps) =>
        createRedisStore(createStateRedis(redis.urlOf('actions'), { log: createLog('actions', 'silent') }), deps),
    })
  beforeAll(async () => {
    redis = await startStackRedis('redis-state')
    replicas = [await startReplica(), await startReplica()]
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
    await redis.stop()
  })

  it('A5 replay a throw for ten seconds after its end; then the rendered key is free, and that of a script is not', async () => {
    runs = []
    const [one, other] = replicas.map(({ url }) => url) as [string, string]
    const key = createKey()
    const script = (url: string) => callAction(url, 'save', [{ by: 'script' }], { key, ...MINE })
    const fields: [string, string][] = [
      ['$ACTION_ID_save', ''],
      ['$portico_key', createKey()],
      ['by', 'form'],
    ]
    const form = (url: string) => postForm(url, fields, MINE)
    const sentAt = Date.now()
    expect([(await form(one)).status, (await script(one)).status]).toEqual([500, 500])
    await pause(sentAt + THROWN_KEEP_MS - 1000 - Date.now())
    expect([(await form(other)).status, (await script(other)).status, runs]).toEqual([500, 500, ['form', 'script']])
    await pause(2000)
    expect([(await script(other)).status, runs]).toEqual([500, ['form', 'script']])
    expect([(await form(other)).status, runs]).toEqual([303, ['form', 'script', 'form']])
    expect([(await form(one)).status, runs]).toEqual([303, ['form', 'script', 'form']])
  })
})
