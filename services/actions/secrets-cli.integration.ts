// The command line for secrets, as an operator would run it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { hasRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'

const CLI = fileURLToPath(new URL('./secrets-cli.ts', import.meta.url))

async function secrets(args: readonly string[], environment: Record<string, string> = {}) {
  const env = { ...bareEnvironment(), DATA_DIR: '/nowhere', ...environment }
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

describe('the command line for secrets', () => {
  test.skipIf(!hasRedis())('O10 rotates the stored secrets, and says where there are none', async () => {
    const server = await startStackRedis('redis-state')
    onTestFinished(() => server.stop())
    const redis = new Redis(server.url.href)
    onTestFinished(() => redis.disconnect())
    const environment = { STATE_REDIS_URL: server.urlOf('actions').href }
    // The form of the versions before, and the present one.
    await redis.set('portico:secret:action-key', 'a-key-of-the-version-before')
    await redis.set('portico:secret:stack-token', '{"rotation":4,"createdAt":1,"value":"t"}')
    const rotated = await secrets(['rotate'], environment)
    expect(rotated).toEqual({
      code: 0,
      output: [
        'stack-token: rotation 5 signs now; the one before verifies and opens for 24 hours\n',
        'action-key: rotation 1 signs now; the one before verifies and opens for 24 hours\n',
      ].join(''),
    })
    expect(JSON.parse((await redis.get('portico:secret:action-key'))!)).toMatchObject({
      rotation: 1,
      value: expect.stringMatching(/^[\w-]{43}$/),
      former: [{ rotation: 0, createdAt: 0, value: 'a-key-of-the-version-before', until: expect.any(Number) }],
    })
    await redis.flushall()
    const host = `127.0.0.1:${server.port}`
    expect(await secrets(['rotate'], { ...environment, STACK_TOKEN: 't'.repeat(32) })).toEqual({
      code: 1,
      output: `portico secrets: action-key cannot be read from the state store ${host} (STATE_REDIS_URL): there is no portico:secret:action-key: services store one when they start without a setting for it\n`,
    })
    expect(await redis.dbsize()).toBe(0)
  })

  test('O10 refuses what it cannot rotate, with the remedy', async () => {
    const keys = { ACTION_KEYS: 'k'.repeat(32), STACK_TOKEN: 't'.repeat(32) }
    const results = await Promise.all([
      secrets(['--help']),
      secrets([]),
      secrets(['forget']),
      secrets(['rotate', '--now']),
      secrets(['rotate']),
      secrets(['rotate'], { ...keys, STATE_REDIS_URL: 'redis://127.0.0.1:1' }),
      secrets(['rotate'], { STATE_REDIS_URL: 'http://127.0.0.1:1' }),
    ])
    expect(results).toEqual([
      { code: 0, output: expect.stringContaining('portico secrets rotate') },
      { code: 2, output: 'portico secrets: "" is not a command: must be rotate; see portico secrets --help\n' },
      { code: 2, output: 'portico secrets: "forget" is not a command: must be rotate; see portico secrets --help\n' },
      { code: 2, output: "portico secrets: Unknown option '--now'; see portico secrets --help\n" },
      {
        code: 2,
        output: expect.stringMatching(
          /^portico secrets: STATE_REDIS_URL is not set: .* delete stack-token\.secret and action-key\.secret in \/nowhere/,
        ),
      },
      {
        code: 2,
        output: 'portico secrets: STACK_TOKEN and ACTION_KEYS are set: nothing is stored that could be rotated\n',
      },
      { code: 2, output: expect.stringMatching(/^portico secrets: STATE_REDIS_URL=/) },
    ])
  })
})
