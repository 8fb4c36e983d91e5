import { Registry } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRedis, type StackRedis, startStackRedis } from '../testing/redis-server.ts'
import { connectRedis, isReadyWithin } from './redis.ts'
import { addRedisMetrics, parseInfo, readInfo } from './redis-metrics.ts'

const INFO = '# Memory\r\nused_memory:1000\r\nused_memory_rss:9\r\nmaxmemory:4000\r\n# Stats\r\nevicted_keys:7\r\n'

async function valuesOf(registry: Registry): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n')
  return lines.filter((line) => line.startsWith('portico_')).map((line) => line.replace('portico_redis_', ''))
}

describe('figures of a Redis', () => {
  test.each([
    [INFO, { usedBytes: 1000, limitBytes: 4000, evictedKeys: 7 }],
    ['used_memory:5\nmaxmemory:0\n', { usedBytes: 5, limitBytes: 0, evictedKeys: 0 }],
    ['', { usedBytes: 0, limitBytes: 0, evictedKeys: 0 }],
  ])('O7 INFO is read: %j', (text, figures) => {
    expect(parseInfo(text)).toEqual(figures)
  })

  test('O7 scrapes share a reading for 5 s, servers are added up, and a Redis that fails has no figures', async () => {
    let now = 0
    let replies: readonly string[] | undefined = [INFO, INFO]
    let readings = 0
    const registry = new Registry()
    const readInfo = async () => {
      readings++
      return replies
    }
    addRedisMetrics({ registry, store: 'cache', readInfo, now: () => now })
    const before = [
      'up{store="cache"} 1',
      'memory_used_bytes{store="cache"} 2000',
      'memory_limit_bytes{store="cache"} 8000',
      'evicted_keys_total{store="cache"} 14',
    ]
    expect(await valuesOf(registry)).toEqual(before)
    now = 4999
    expect(await valuesOf(registry)).toEqual(before)
    expect(readings).toBe(1)
    replies = undefined
    now = 5000
    // A counter that disappeared and came back would look like evictions.
    expect(await valuesOf(registry)).toEqual(['up{store="cache"} 0', 'evicted_keys_total{store="cache"} 14'])
    expect(readings).toBe(2)
  })

  test('O7 of a Cluster all masters are read', async () => {
    const serverOf = (text: string) => ({ info: async () => text })
    const nodes = () => [serverOf('a'), serverOf('b')]
    expect(await readInfo({ ...serverOf('any'), nodes })).toEqual(['a', 'b'])
    expect(await readInfo(serverOf('only'))).toEqual(['only'])
  })

  test('O7 a Redis that does not respond delays no scrape', async () => {
    const registry = new Registry()
    addRedisMetrics({ registry, store: 'state', readInfo: () => new Promise(() => {}), timeoutMs: 1 })
    expect(await valuesOf(registry)).toEqual(['up{store="state"} 0'])
  })
})

describe.skipIf(!hasRedis())('with the users of the manifests', () => {
  let server: StackRedis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
  })
  afterAll(() => server.stop())

  test('O7 the gateway reads memory and its limit', async () => {
    const redis = connectRedis(server.urlOf('gateway'), 'state')
    redis.on('error', () => {})
    expect(await isReadyWithin(redis, 5000)).toBe(true)
    const registry = new Registry()
    addRedisMetrics({ registry, store: 'state', readInfo: () => readInfo(redis) })
    expect(await valuesOf(registry)).toEqual([
      'up{store="state"} 1',
      expect.stringMatching(/^memory_used_bytes\{store="state"\} [1-9]\d+$/),
      `memory_limit_bytes{store="state"} ${512 * 1024 * 1024}`,
      'evicted_keys_total{store="state"} 0',
    ])
    redis.disconnect()
  })
})
