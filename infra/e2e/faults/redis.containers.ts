// What services keep in the state store, against a real Redis in a container.

import { loadSecret } from '@portico/shared/kit/config/secrets.ts'
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let container: StartedTestContainer | undefined
let stateRedisUrl: URL

beforeAll(async () => {
  container = await new GenericContainer('redis:8-alpine')
    .withCommand(['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start()
  stateRedisUrl = new URL(`redis://${container.getHost()}:${container.getMappedPort(6379)}`)
})

afterAll(async () => {
  await container?.stop()
})

describe('secrets in the state store', () => {
  test('W5 services that start simultaneously make one secret together', async () => {
    const store = { stateRedisUrl, dataDir: '/nowhere' }
    const tokens = await Promise.all(Array.from({ length: 8 }, () => loadSecret('stack-token', store)))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]?.length).toBeGreaterThanOrEqual(32)
    expect(await loadSecret('action-key', store)).not.toBe(tokens[0])
  })

  test('W5 a secret outlives a restart of the store', async () => {
    const store = { stateRedisUrl, dataDir: '/nowhere' }
    const before = await loadSecret('stack-token', store)
    await container?.restart()
    const { host, port } = { host: container?.getHost(), port: container?.getMappedPort(6379) }
    const after = await loadSecret('stack-token', { ...store, stateRedisUrl: new URL(`redis://${host}:${port}`) })
    expect(after).toBe(before)
  })
})
