// Starts and stops a real Redis for tests.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { parse } from 'yaml'
import { freePort } from '../life/free-port.ts'

const COMPOSE_FILE = fileURLToPath(new URL('../../../../docker-compose.yml', import.meta.url))

export interface RedisServer {
  url: URL
  port: number
  /** Freezes and resumes the process: connected, but silent. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Whether the tests may use Redis. A missing Redis is a failure if PORTICO_TEST_REQUIRE names it. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch (cause) {
    if (process.env.PORTICO_TEST_REQUIRE?.includes('redis'))
      throw new Error('PORTICO_TEST_REQUIRE names redis, but redis-server is not installed', { cause })
    return false
  }
}

/** Starts a server without persistence on a free port; resolves when the server responds. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await freePort())
  const args = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  return started(spawn('redis-server', args, { stdio: 'ignore' }), new URL(`redis://127.0.0.1:${chosen}`))
}

export interface StackRedis extends RedisServer {
  /** A user with all permissions; only tests have such a user. */
  url: URL
  /** The address with the user of a service. */
  urlOf(user: 'gateway' | 'renderer' | 'images' | 'actions' | 'health'): URL
  /** Folder of its data on disk. */
  dataDir: string
  /** Kills the server and starts it again with its data on disk; `meanwhile` runs while there is no server. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  /** Removes all keys. */
  flush(): Promise<void>
}

export type StoreName = 'redis-cache' | 'redis-state'

/**
 * Starts a store by the command of docker-compose.yml with its users: commands that a service may not use fail. `options`
 * are further ones of Redis.
 */
export async function startStackRedis(
  store: StoreName,
  port?: number,
  options: readonly string[] = [],
): Promise<StackRedis> {
  const chosen = port ?? (await freePort())
  const folder = await mkdtemp(join(tmpdir(), 'portico-redis-'))
  for (const user of ['gateway', 'renderer', 'images', 'actions']) {
    await mkdir(join(folder, user))
    await writeFile(join(folder, user, 'password'), `password-of-${user}\n`)
  }
  const { services } = parse(await readFile(COMPOSE_FILE, 'utf8'), { merge: true }) as Compose
  const [shell = '', ...command] = services[store].command
  const args = command.map((word) => word.replaceAll('$$', '$').replaceAll('/run/redis/', `${folder}/`))
  const more = ['--port', String(chosen), '--bind', '127.0.0.1', '--dir', folder, ...options]
  const admin = ['--user', 'admin', 'on', 'nopass', '~*', '&*', '+@all']
  const urlOf = (user: string) => new URL(`redis://${user}:password-of-${user}@127.0.0.1:${chosen}`)
  const start = () => started(spawn(shell, [...args, ...more, ...admin], { stdio: 'ignore' }), urlOf('admin'))
  let server = await start()
  return {
    ...server,
    urlOf,
    dataDir: join(folder, 'appendonlydir'),
    pause: () => server.pause(),
    resume: () => server.resume(),
    async restart(meanwhile) {
      await server.stop()
      await meanwhile?.()
      server = await start()
    },
    async flush() {
      const redis = new Redis(urlOf('admin').href)
      await redis.flushall()
      redis.disconnect()
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The parts of the file that tests read. */
interface Compose {
  services: Record<StoreName, { command: string[] }>
}

/** Resolves when the server of a process responds. */
export async function started(child: ChildProcess, url: URL): Promise<RedisServer> {
  const redis = new Redis(url.href, { retryStrategy: () => 25, maxRetriesPerRequest: 200 })
  redis.on('error', () => {
    // Refused until the server listens.
  })
  try {
    await redis.ping()
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error('redis-server does not respond', { cause })
  } finally {
    redis.disconnect()
  }
  return {
    url,
    port: Number(url.port),
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
