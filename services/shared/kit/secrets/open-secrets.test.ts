import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { freePort } from '../life/free-port.ts'
import { createLog } from '../observe/log.ts'
import { hasRedis, startStackRedis } from '../testing/redis-server.ts'
import { loadSecretFile, openSecrets } from './open-secrets.ts'
import { readSecret, rotateSecret } from './operate-secrets.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-secrets-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
const log = createLog('test', 'silent')
const UNSET = { stackToken: undefined, actionKeys: [] }

describe.concurrent('secrets in the state store', () => {
  const open = async ({ onTestFinished }: TestContext, stateRedisUrl: URL, waitMs?: number) => {
    const opened = await openSecrets({ ...UNSET, stateRedisUrl, dataDir: '/nowhere' }, log, waitMs)
    onTestFinished(opened.close)
    return opened
  }
  const valuesOf = ({ token, keys }: Awaited<ReturnType<typeof open>>) => [token.accepted(), keys.accepted()]

  it.skipIf(!hasRedis())(
    'O10 are made together, outlive the loss of the store, are read where it is full, and are rotated for all',
    async (test) => {
      const { onTestFinished } = test
      const server = await startStackRedis('redis-state')
      onTestFinished(() => server.stop())
      const users = (['actions', 'renderer', 'actions', 'renderer'] as const).map((user) => server.urlOf(user))
      const startedAt = performance.now()
      const holders = await Promise.all(users.map((url) => open(test, url)))
      expect(performance.now() - startedAt).toBeGreaterThan(2900)
      const [first] = holders.map(valuesOf)
      expect(holders.map(valuesOf)).toEqual(holders.map(() => first))
      await server.flush()
      // Not 3 s: another service has written them back.
      const flushedAt = performance.now()
      expect(valuesOf(await open(test, server.urlOf('renderer')))).toEqual(first)
      expect(performance.now() - flushedAt).toBeLessThan(2500)
      const redis = new Redis(server.url.href)
      onTestFinished(() => redis.disconnect())
      await redis.config('SET', 'maxmemory', '1')
      expect(valuesOf(await open(test, server.urlOf('renderer')))).toEqual(first)
      await redis.config('SET', 'maxmemory', '0')
      expect(await rotateSecret('action-key', server.urlOf('actions'))).toBe(1)
      // Every service signs with it now.
      expect(new Set(holders.map(({ keys }) => keys.accepted().join())).size).toBe(1)
      const [rotated] = holders
      expect(rotated?.keys.accepted()).toEqual([expect.any(String), first![1]![0]])
      expect(rotated?.token.accepted()).toEqual(first![0])
      expect(await readSecret('action-key', server.urlOf('renderer'))).toBe(rotated?.keys.current())
    },
  )

  it.skipIf(!hasRedis())('O10 are neither stored nor read where the settings have them', async (test) => {
    const { onTestFinished } = test
    const server = await startStackRedis('redis-state')
    onTestFinished(() => server.stop())
    const settings = {
      stateRedisUrl: server.urlOf('renderer'),
      dataDir: '/nowhere',
      stackToken: 't',
      actionKeys: ['n', 'o'],
    }
    const { token, keys, close } = await openSecrets(settings, log)
    expect([token.accepted(), keys.accepted()]).toEqual([['t'], ['n', 'o']])
    close()
    await expect(readSecret('action-key', server.urlOf('renderer'))).rejects.toThrow(
      /^action-key cannot be read .*: there is no portico:secret:action-key: /,
    )
    await expect(rotateSecret('stack-token', server.urlOf('renderer'))).rejects.toThrow('there is no portico:secret:')
    const redis = new Redis(server.url.href)
    expect(await redis.dbsize()).toBe(0)
    // Where nothing can be stored, the start fails with the reason.
    await redis.config('SET', 'maxmemory', '1')
    redis.disconnect()
    await expect(open(test, server.urlOf('renderer'), 100)).rejects.toThrow(/^stack-token cannot be read .* OOM /)
  })

  it('O9 a store that accepts connections and never responds is named after the time limit, without its password', async (test) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => void sockets.add(socket.on('error', () => {}).resume()))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    await expect(open(test, new URL(`redis://:hush@127.0.0.1:${port}`), 100)).rejects.toThrow(
      new Error(
        `stack-token cannot be read from the state store 127.0.0.1:${port} (STATE_REDIS_URL): no response in time`,
      ),
    )
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('O9 a missing store is named, with the reason', async (test) => {
    await expect(open(test, new URL(`redis://127.0.0.1:${await freePort()}`), 100)).rejects.toThrow(
      /state store 127\.0\.0\.1:\d+ \(STATE_REDIS_URL\): .*ECONNREFUSED/,
    )
  })
})

describe('secrets in a folder', () => {
  it('O9 the first caller creates the secret, the others receive the same one', async () => {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadSecretFile('stack-token', join(dir, 'a/b'))))
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]!.length).toBeGreaterThanOrEqual(32)
    expect(await loadSecretFile('stack-token', join(dir, 'a/b'))).toBe(secrets[0])
  })

  it('O9 each name and each folder has its own secret', async () => {
    const secrets = [
      await loadSecretFile('stack-token', dir),
      await loadSecretFile('action-key', dir),
      await loadSecretFile('stack-token', join(dir, 'other')),
    ]
    expect(new Set(secrets).size).toBe(3)
  })

  it('O9 no other user of the machine can read the secret', async () => {
    const secret = await loadSecretFile('stack-token', dir)
    const file = join(dir, 'stack-token.secret')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toBe(secret)
  })

  it('O9 waits for the service that is still writing the secret', async () => {
    const file = join(dir, 'stack-token.secret')
    await writeFile(file, '')
    const loading = loadSecretFile('stack-token', dir)
    await new Promise((done) => setTimeout(done, 80))
    await writeFile(file, 'x'.repeat(43))
    expect(await loading).toBe('x'.repeat(43))
  })

  it('O9 is that of a service without a state Redis, and no wait comes before it', async () => {
    const opened = await openSecrets({ ...UNSET, stateRedisUrl: undefined, dataDir: dir }, log)
    expect(opened.token.accepted()).toEqual([await loadSecretFile('stack-token', dir)])
    expect(opened.keys.current()).toBe(await loadSecretFile('action-key', dir))
    opened.close()
  })

  it('O9 a file without a secret is named, with the remedy', async () => {
    await writeFile(join(dir, 'stack-token.secret'), 'short')
    await expect(loadSecretFile('stack-token', dir)).rejects.toThrow(
      /stack-token\.secret contains no secret: delete the file/,
    )
  })
})
