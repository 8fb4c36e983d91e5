import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '../testing/redis-server.ts'
import { connectRedis, connectSubscriber, keyGroup, type RedisClient, replicasOf } from './redis.ts'
import { toRedisUrl } from './redis-address.ts'

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
    expect(lines.join('')).toMatch(
      /user \\"actions\\" is refused by the Redis of 127\.0\.0\.1:\d+: WRONGPASS .*_REDIS_PASSWORD_FILE/,
    )
    expect(lines.join('')).not.toContain(CANARY)
  })

  it.each([2, 3] as const)('O9 a client without a password is refused, RESP%i', async (protocol) => {
    expect((await refused(new URL(`redis://127.0.0.1:${server.port}`), protocol)).join('')).toMatch(
      /user \\"default\\" is refused .* NOAUTH .*_REDIS_PASSWORD_FILE/,
    )
  })
})

describe('an address of Redis becomes options of its client', () => {
  // No server has these ports.
  const open = <T extends RedisClient>(redis: T): T => {
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    return redis
  }
  const connect = (text: string) => open(connectRedis(toRedisUrl(text), 'state', { connectionName: 'test' }))

  it('O2 one server', () => {
    const redis = connect('rediss://u:p%40@127.0.0.1:9/3')
    expect(redis.options).toMatchObject({ host: '127.0.0.1', port: 9, db: 3, username: 'u', password: 'p@', tls: {} })
    expect(redis.options).toMatchObject({
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      enableAutoPipelining: true,
    })
    expect([keyGroup(redis, 'marks'), replicasOf({ href: 'redis://h', host: 'h' })]).toEqual(['portico:marks', 0])
  })

  it('O2 a master behind Sentinels, with TLS to both', () => {
    const text = 'rediss+sentinel://u:p@127.0.0.1:9,127.0.0.2:9/name?sentinelUsername=s&sentinelPassword=t&replicas=2'
    const redis = connect(text)
    expect(redis.options).toMatchObject({
      sentinels: [
        { host: '127.0.0.1', port: 9 },
        { host: '127.0.0.2', port: 9 },
      ],
      name: 'name',
      username: 'u',
      password: 'p',
      sentinelUsername: 's',
      sentinelPassword: 't',
      enableTLSForSentinelMode: true,
      sentinelTLS: {},
      tls: {},
      failoverDetector: true,
    })
    expect([keyGroup(redis, 'marks'), replicasOf(toRedisUrl(text))]).toEqual(['portico:marks', 2])
    expect(connect('redis+sentinel://127.0.0.1:9/name').options).not.toMatchObject({ tls: {} })
  })

  it('O2 a Cluster, whose commands are sent once and never wait for it', async () => {
    const text = 'rediss+cluster://u:p@127.0.0.1:9,127.0.0.2:9'
    const redis = connect(text)
    expect(redis.options).toMatchObject({
      redisOptions: { username: 'u', password: 'p', tls: {}, commandTimeout: 1000, connectionName: 'test' },
      enableAutoPipelining: false,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
    })
    expect([keyGroup(redis, 'marks'), replicasOf(toRedisUrl(text))]).toEqual(['portico:{marks}', 1])
    await expect(redis.get('k')).rejects.toThrow('the Cluster is not connected')
    await expect(redis.multi().get('k').exec()).rejects.toThrow()
  })

  it('O2 a subscriber of a Cluster tries the next node', async () => {
    const redis = open(connectSubscriber(toRedisUrl('redis+cluster://u:p@127.0.0.1:9,127.0.0.2:9'), 'test'))
    expect(redis.options).toMatchObject({ username: 'u', password: 'p', autoResubscribe: false, protocol: 2 })
    const seen = new Set<string | undefined>()
    await expect
      .poll(() => seen.add('host' in redis.options ? redis.options.host : undefined).size, { interval: 20 })
      .toBe(2)
  })
})
