// What services keep in the state store, against a real Redis in a container.

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { openSecrets } from '@portico/shared/kit/secrets/open-secrets.ts'
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

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

/** What a service of a stack without settings has. */
async function openStored(url: URL) {
  const settings = { stateRedisUrl: url, dataDir: '/nowhere', stackToken: undefined, actionKeys: [] }
  const { token, keys, close } = await openSecrets(settings, createLog('test', 'silent'))
  onTestFinished(close)
  return { token: token.current(), key: keys.current() }
}

afterAll(async () => {
  await container?.stop()
})

describe('secrets in the state store', () => {
  test('W5 services that start simultaneously make one secret together', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openStored(stateRedisUrl)))
    const [first] = opened
    expect(new Set(opened.map(({ token }) => token)).size).toBe(1)
    expect(first?.token.length).toBeGreaterThanOrEqual(32)
    expect(first?.key).not.toBe(first?.token)
  })

  test('W5 a secret outlives a restart of the store', async () => {
    const before = await openStored(stateRedisUrl)
    await container?.restart()
    const { host, port } = { host: container?.getHost(), port: container?.getMappedPort(6379) }
    const after = await openStored(new URL(`redis://${host}:${port}`))
    expect(after).toEqual(before)
  })
})
