// Two actions processes of the sample site over one PostgreSQL: one is killed, and the database is, under steady forms.
// postgres.long.ts does the same with containers.

import { setTimeout as sleep } from 'node:timers/promises'
import { hasPostgres, type Postgres, startPostgres } from '@portico/shared/kit/testing/postgres-server.ts'
import { hasRedis, type RedisServer, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describePostcards } from '../behaviours/http/postcards.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { processOf } from '../harness/framework.ts'
import { childrenOf, run } from '../harness/processes.ts'
import { ATLAS } from '../sites/sites.ts'
import { compare, requestImages, startWriters } from './many-writers.ts'

/** No error later than this after a kill. */
const RECOVERY_MS = 5000

describe.skipIf(!hasPostgres() || !hasRedis())('two actions processes over PostgreSQL', () => {
  let postgres: Postgres
  let redis: RedisServer
  let stack: EmbeddedStack

  beforeAll(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
    const env = { DATABASE_URL: await postgres.createDatabase('site'), STATE_REDIS_URL: redis.url.href }
    stack = await startEmbedded({ appDir: ATLAS.appDir, env, args: ['--scale', 'actions=2'] })
  })
  afterAll(async () => {
    await stack?.stop()
    await redis?.stop()
    await postgres?.stop()
  })

  const messages = async () => {
    const args = [`${postgres.url.replace(/postgres$/, 'site')}`, '-At', '-c', 'SELECT message FROM cards']
    const { code, output } = await run('psql', args, { cwd: '/' })
    expect(code, output).toBe(0)
    return output.split('\n').filter((line) => line.startsWith('card '))
  }
  const replicas = () => childrenOf(stack.stackId(), processOf('actions'))
  const empty = () => run('psql', [postgres.url.replace(/postgres$/, 'site'), '-c', 'DELETE FROM cards'], { cwd: '/' })

  /** Runs the fault amid forms; when it happened, and what was kept. */
  const during = async (fault: () => unknown, seconds: number) => {
    await empty()
    const writers = await startWriters(stack.baseUrl)
    const started = performance.now()
    await sleep(3000)
    await fault()
    const faultMs = performance.now() - started
    await sleep(seconds * 1000)
    await writers.stop()
    return { faultMs, kept: compare(writers.sent, await messages()) }
  }

  describePostcards('over PostgreSQL', () => stack.baseUrl)

  test('A5 G2 a replica that is killed under forms costs no accepted card, and forms work again within 5 s', async () => {
    const before = replicas()
    expect(before).toHaveLength(2)
    const { faultMs, kept } = await during(() => process.kill(before[0] ?? 0, 'SIGKILL'), 10)
    console.log(`actions killed: ${JSON.stringify(kept)}`)
    expect(kept).toMatchObject({ lost: [], twice: [] })
    expect(kept.accepted).toBeGreaterThan(100)
    expect(kept.rows).toBe(kept.accepted + kept.unreported)
    expect(kept.lastErrorMs).toBeLessThan(faultMs + RECOVERY_MS)
    expect(await requestImages(stack.baseUrl, 6)).toMatchObject({ failed: 0 })
    await expect.poll(() => replicas().length, { timeout: 20_000 }).toBe(2)
  })

  test('A5 O2 a database that is killed under forms loses no accepted card, and forms work again within 5 s', async () => {
    const { faultMs, kept } = await during(() => postgres.restart(), 10)
    console.log(`PostgreSQL killed: ${JSON.stringify(kept)}`)
    expect(kept).toMatchObject({ lost: [], twice: [] })
    expect(kept.rows).toBe(kept.accepted + kept.unreported)
    expect(kept.lastErrorMs).toBeLessThan(faultMs + RECOVERY_MS)
  })
})
