import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../life/free-port.ts'
import { hasRedis, startStackRedis } from '../testing/redis-server.ts'
import { loadSecret } from './secrets.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-secrets-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
const store = (dataDir = dir) => ({ stateRedisUrl: undefined, dataDir })

describe('secrets in the state store', () => {
  it.skipIf(!hasRedis())(
    'O9 the first caller makes it, and the others get the same one from a store that is full',
    async () => {
      const server = await startStackRedis('redis-state')
      onTestFinished(() => server.stop())
      const inRedis = { stateRedisUrl: server.urlOf('actions'), dataDir: dir }
      const ofRenderer = { stateRedisUrl: server.urlOf('renderer'), dataDir: dir }
      await expect(loadSecret('action-key', { ...inRedis, mustExist: true })).rejects.toThrow(
        /there is no portico:secret:action-key/,
      )
      const callers = [inRedis, ofRenderer, inRedis, ofRenderer]
      const secrets = await Promise.all(callers.map((caller) => loadSecret('action-key', caller)))
      expect(new Set(secrets).size).toBe(1)
      const redis = new Redis(server.url.href)
      await redis.config('SET', 'maxmemory', '1')
      redis.disconnect()
      expect(await loadSecret('action-key', inRedis)).toBe(secrets[0])
      await expect(loadSecret('stack-token', inRedis)).rejects.toThrow(/^stack-token cannot be read .* OOM /)
    },
  )

  it('O9 a store that accepts connections and never responds is named after the time limit, without its password', async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => void sockets.add(socket.on('error', () => {}).resume()))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    const stateRedisUrl = new URL(`redis://:hush@127.0.0.1:${port}`)
    const loading = loadSecret('stack-token', { stateRedisUrl, dataDir: dir, waitMs: 100 })
    await expect(loading).rejects.toThrow(
      new Error(
        `stack-token cannot be read from the state store 127.0.0.1:${port} (STATE_REDIS_URL): no response in time`,
      ),
    )
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('O9 a missing store is named, with the reason', async () => {
    const stateRedisUrl = new URL(`redis://127.0.0.1:${await freePort()}`)
    const loading = loadSecret('action-key', { stateRedisUrl, dataDir: dir, waitMs: 100 })
    await expect(loading).rejects.toThrow(/state store 127\.0\.0\.1:\d+ \(STATE_REDIS_URL\): .*ECONNREFUSED/)
  })
})

describe('secrets in a folder', () => {
  it('O9 the first caller creates the secret, the others receive the same one', async () => {
    const secrets = await Promise.all(
      Array.from({ length: 8 }, () => loadSecret('stack-token', store(join(dir, 'a/b')))),
    )
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]!.length).toBeGreaterThanOrEqual(32)
    expect(await loadSecret('stack-token', store(join(dir, 'a/b')))).toBe(secrets[0])
  })

  it('O9 each name and each folder has its own secret', async () => {
    const secrets = [
      await loadSecret('stack-token', store()),
      await loadSecret('action-key', store()),
      await loadSecret('stack-token', store(join(dir, 'other'))),
    ]
    expect(new Set(secrets).size).toBe(3)
  })

  it('O9 no other user of the machine can read the secret', async () => {
    const secret = await loadSecret('stack-token', store())
    const file = join(dir, 'stack-token.secret')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toBe(secret)
  })

  it('O9 waits for the service that is still writing the secret', async () => {
    const file = join(dir, 'stack-token.secret')
    await writeFile(file, '')
    const loading = loadSecret('stack-token', store())
    await new Promise((done) => setTimeout(done, 80))
    await writeFile(file, 'x'.repeat(43))
    expect(await loading).toBe('x'.repeat(43))
  })

  it('O9 a file without a secret is named, with the remedy', async () => {
    await writeFile(join(dir, 'stack-token.secret'), 'short')
    await expect(loadSecret('stack-token', store())).rejects.toThrow(
      /stack-token\.secret contains no secret: delete the file/,
    )
  })
})
