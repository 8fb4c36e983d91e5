import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '../testing/redis-server.ts'
import { connectRedis } from './redis.ts'

/** No log may contain the password, so this text occurs nowhere else. */
const CANARY = 'canary-of-a-password'

describe.skipIf(!hasRedis())('a connection to Redis', () => {
  let server: StackRedis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
  })
  afterAll(() => server.stop())

  const refused = (url: URL, protocol: 2 | 3) => {
    const redis = connectRedis(url, 'state', { protocol, enableOfflineQueue: true, retryStrategy: () => null })
    onTestFinished(() => redis.disconnect())
    const lines: string[] = []
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
    redis.on('error', (error) => log.error({ error }, 'refused'))
    return redis.get('portico:secret:x').then(
      () => ['accepted'],
      (error: unknown) => {
        log.error({ error }, 'command failed')
        return lines
      },
    )
  }

  it.each([2, 3] as const)('O9 a wrong password is refused and in no log line, RESP%i', async (protocol) => {
    const url = server.urlOf('actions')
    url.password = CANARY
    const lines = await refused(url, protocol)
    expect(lines.join('')).toContain('WRONGPASS')
    expect(lines.join('')).not.toContain(CANARY)
  })

  it.each([2, 3] as const)('O9 a client without a password is refused, RESP%i', async (protocol) => {
    expect((await refused(new URL(`redis://127.0.0.1:${server.port}`), protocol)).join('')).toContain('NOAUTH')
  })
})
