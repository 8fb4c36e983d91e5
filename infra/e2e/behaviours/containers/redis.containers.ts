// What services keep in the state store, against a real Redis in a container.

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { RedisContainer, type StartedRedisContainer } from '@testcontainers/redis'
import { Wait } from 'testcontainers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

let container: StartedRedisContainer

beforeAll(async () => {
  container = await new RedisContainer('redis:8-alpine')
    .withCommand(['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
    // After a restart the line "Ready to accept connections" may be older than what the engine calls the start.
    .withWaitStrategy(Wait.forSuccessfulCommand('redis-cli ping'))
    .start()
})

/** What a service of a stack without settings has. */
async function openStored() {
  const stateRedisUrl = new URL(container.getConnectionUrl())
  const settings = { stateRedisUrl, dataDir: '/nowhere', stackToken: undefined, actionKeys: [] }
  const { token, keys, close } = await openSecrets(settings, createLog('test', 'silent'))
  onTestFinished(close)
  return { token: token.current(), key: keys.current() }
}

afterAll(async () => {
  await container?.stop()
})

describe('secrets in the state store', () => {
  test('W5 services that start simultaneously make one secret together', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, openStored))
    const [first] = opened
    expect(new Set(opened.map(({ token }) => token)).size).toBe(1)
    expect(first?.token.length).toBeGreaterThanOrEqual(32)
    expect(first?.key).not.toBe(first?.token)
  })

  test('W5 a secret outlives a restart of the store', async () => {
    const before = await openStored()
    await container.restart()
    const after = await openStored()
    expect(after).toEqual(before)
  })
})
