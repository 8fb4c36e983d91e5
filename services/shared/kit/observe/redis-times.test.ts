// The time of commands of Redis (O7).

import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from '@prometheus-io/client'
import { describe, expect, it } from 'vitest'
import { connectRedis, isReadyWithin } from '../store/redis.ts'
import { hasRedis, startStackRedis } from '../testing/redis-server.ts'
import { addRedisTimes } from './redis-times.ts'

const registry = new Registry()
addRedisTimes(registry)

async function countOf(kind: string, le = '+Inf'): Promise<number> {
  const line = new RegExp(
    `^portico_redis_command_seconds_bucket\\{le="${le.replace('+', '\\+')}",store="state",kind="${kind}"\\} (\\d+)$`,
    'm',
  )
  return Number(line.exec(await registry.metrics())?.[1] ?? 0)
}

describe.skipIf(!hasRedis())('the time of commands', () => {
  it('O7 counts each reply of a connection, pipelined and in transactions, and a slow one as slow', async ({
    onTestFinished,
  }) => {
    const server = await startStackRedis('redis-state')
    onTestFinished(() => server.stop())
    const redis = connectRedis(server.urlOf('actions'), 'state')
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    expect(await isReadyWithin(redis, 5000)).toBe(true)
    const before = await countOf('submissions')
    await Promise.all([redis.ping(), redis.get('portico:a')])
    await redis.multi().get('portico:a').get('portico:b').exec()
    // MULTI and EXEC are commands, too.
    expect((await countOf('submissions')) - before).toBe(6)
    const [all, fast] = [await countOf('submissions'), await countOf('submissions', '0.1')]
    server.pause()
    const slow = redis.ping()
    await sleep(150)
    server.resume()
    await slow
    expect(await countOf('submissions')).toBe(all + 1)
    expect(await countOf('submissions', '0.1')).toBe(fast)
  })

  it('O7 counts no command that fails because there is no connection', async ({ onTestFinished }) => {
    const redis = connectRedis(new URL('redis://127.0.0.1:1'), 'files')
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    const before = await countOf('files')
    await expect(redis.get('portico:file:x')).rejects.toThrow()
    expect(await countOf('files')).toBe(before)
  })
})
