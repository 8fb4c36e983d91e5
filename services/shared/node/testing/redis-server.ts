// A real Redis for tests, started and stopped by them.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

export interface RedisServer {
  url: URL
  port: number
  /** Freezes and thaws the process: connected, but silent. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Whether the tests may use Redis. Its absence is a failure where PORTICO_TEST_REQUIRE names it. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch (cause) {
    if (process.env.PORTICO_TEST_REQUIRE?.includes('redis'))
      throw new Error('PORTICO_TEST_REQUIRE names redis, and there is no redis-server here', { cause })
    return false
  }
}

/** Starts a server without persistence on a free port; resolves when it answers. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await freePort())
  const child: ChildProcess = spawn(
    'redis-server',
    ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  )
  const url = new URL(`redis://127.0.0.1:${chosen}`)
  const redis = new Redis(url.href, { retryStrategy: () => 25, maxRetriesPerRequest: 200 })
  redis.on('error', () => {
    // Refused until it listens.
  })
  try {
    await redis.ping()
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error('redis-server does not answer', { cause })
  } finally {
    redis.disconnect()
  }
  return {
    url,
    port: chosen,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
