// A real Redis for tests, on a free port, without persistence. Tests that need it are skipped where there is no binary.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'

export interface RedisServer {
  url: URL
  port: number
  /** Stands still without closing its sockets. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** Whether tests with Redis can run; PORTICO_TEST_REQUIRE=redis makes its absence a failure instead of a skip. */
export const HAS_REDIS =
  spawnSync('redis-server', ['--version']).status === 0 || (process.env.PORTICO_TEST_REQUIRE ?? '').includes('redis')

/** Starts one; rejects when it does not answer within five seconds. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await freePort())
  const child = spawn(
    'redis-server',
    ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: 'ignore',
    },
  )
  const url = new URL(`redis://127.0.0.1:${chosen}`)
  await answers(url, child)
  return {
    url,
    port: chosen,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGCONT')
      const ended = new Promise((done) => child.once('exit', done))
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await ended
      }
    },
  }
}

async function answers(url: URL, child: ChildProcess): Promise<void> {
  const redis = new Redis(url.href, { retryStrategy: () => 25, maxRetriesPerRequest: 200 })
  redis.on('error', () => {})
  const late = setTimeout(() => redis.disconnect(), 5000)
  try {
    await redis.ping()
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error('redis-server does not answer', { cause })
  } finally {
    clearTimeout(late)
    redis.disconnect()
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      // A TCP server that listens has an AddressInfo.
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}
