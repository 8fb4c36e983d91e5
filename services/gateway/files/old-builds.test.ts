import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { all, send, startGateway, startUpstream } from '../testing/gateway-fixture.ts'
import { publishTo } from '../testing.ts'
import { createDiskFileStore } from './file-store-disk.ts'
import { createRedisFileStore } from './file-store-redis.ts'
import {
  createPublisher,
  type FileStore,
  hashedFiles,
  isFileName,
  PUBLISHED_SECONDS,
  type PublishedFile,
} from './old-builds.ts'

const log = createLog('test', 'silent')
const folder = mkdtempSync(join(tmpdir(), 'old-builds-'))
let redis: StackRedis | undefined
let redisUrl: URL

beforeAll(async () => {
  if (!hasRedis()) return
  redis = await startStackRedis('redis-state')
  redisUrl = redis.urlOf('gateway')
})
afterAll(async () => {
  await redis?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function publicFile(name: string, text: string, size = text.length): PublishedFile {
  const entry = { size, type: 'text/plain', etag: `"${text}"`, encodings: {} }
  return { folder: 'public', name, entry, read: async () => Buffer.from(text) }
}

function fileOf(name: string, text: string): PublishedFile {
  const forms = { identity: Buffer.from(text), br: Buffer.from(`br ${text}`) }
  return {
    folder: 'static',
    name,
    entry: { size: forms.identity.length, type: 'text/plain', etag: '"1"', encodings: { br: forms.br.length } },
    read: async (form) => (form === 'br' ? forms.br : forms.identity),
  }
}

interface Kind {
  name: string
  isHere: boolean
  create: () => FileStore
}
const KINDS: Kind[] = [
  { name: 'disk', isHere: true, create: () => createDiskFileStore(folder) },
  { name: 'redis', isHere: hasRedis(), create: () => createRedisFileStore(redisUrl, log) },
]

describe.each(KINDS)('a file store on $name', ({ isHere, create }) => {
  it.skipIf(!isHere)('G3 gives back what was published, form by form, and nothing else', async () => {
    const store = create()
    const odd = fileOf('places-[slug]-1a.js', 'bytes \u0000 ä')
    await publishTo(store, [odd, fileOf('other.js', 'other')])
    const found = await store.find('static', odd.name)
    expect(found?.entry).toEqual(odd.entry)
    for (const form of ['identity', 'br'] as const)
      expect(await found?.open(form)).toEqual({ kind: 'memory', bytes: await odd.read(form) })
    expect(await store.find('static', 'missing.js')).toBeUndefined()
    expect(await store.find('manifest', odd.name)).toBeUndefined()
    store.close()
  })

  it.skipIf(!isHere)('G3 reads no bytes of a file that is there already', async () => {
    const store = create()
    const file = fileOf('renewed.js', 'x')
    await publishTo(store, [file])
    await publishTo(store, [{ ...file, read: () => Promise.reject(new Error('read again')) }])
    expect(await store.find('static', 'renewed.js')).toBeDefined()
    store.close()
  })

  it.skipIf(!isHere)('G3 gives back the public file of the build that published last, in one piece', async () => {
    const store = create()
    const text = async () => {
      const found = await store.find('public', 'name')
      const bytes = await found?.open('identity')
      return [found?.entry.etag, bytes?.kind === 'memory' && bytes.bytes.toString()]
    }
    await publishTo(store, [publicFile('name', 'first\nbuild \u0000')])
    const before = await store.find('public', 'name')
    await publishTo(store, [publicFile('name', 'second')])
    expect(await text()).toEqual(['"second"', 'second'])
    // What was found earlier is not mixed with what was published meanwhile.
    expect(await before?.open('identity')).toEqual({ kind: 'memory', bytes: Buffer.from('first\nbuild \u0000') })
    await publishTo(store, [{ ...publicFile('name', 'second'), read: () => Promise.reject(new Error('read again')) }])
    expect(await text()).toEqual(['"second"', 'second'])
    expect(await store.find('static', 'name')).toBeUndefined()
    await store.removePublic('name')
    await store.removePublic('missing')
    expect(await store.find('public', 'name')).toBeUndefined()
    store.close()
  })

  it.skipIf(!isHere)('G3 leaves out public files for which the store has no room, and never hashed files', async () => {
    const store = create()
    await publishTo(store, [publicFile('kept', 'kept')])
    const files = [fileOf('hashed.js', 'x'), publicFile('kept', 'kept'), publicFile('small', 's')]
    const leftOut = await publishTo({ ...store, publicRoomBytes: async () => 1 }, [...files, publicFile('late', 'l')])
    expect(leftOut.map(({ name }) => name)).toEqual(['late'])
    expect(await store.find('public', 'late')).toBeUndefined()
    for (const { folder, name } of files) expect(await store.find(folder, name)).toBeDefined()
    const roomBytes = await store.publicRoomBytes()
    expect(await publishTo(store, [publicFile('huge', 'h', roomBytes + 1)])).toHaveLength(1)
    expect(roomBytes).toBeGreaterThan(200 * 1024 * 1024)
    expect(roomBytes).toBeLessThanOrEqual(256 * 1024 * 1024)
    store.close()
  })

  it.skipIf(!isHere)('G3 serves files of another build through any gateway', async () => {
    const upstream = await startUpstream('upstream')
    const store = create()
    const text = 'console.log("old build")\n'.repeat(50)
    const options = { upstreams: all(upstream), oldBuilds: store }
    const files = { 'client/static/old-1a2b.js': text, 'client/manifest/build0.json': '{"buildId":"build0"}' }
    const old = await startGateway({ ...options, files })
    const fresh = await startGateway(options)
    expect((await send(fresh.port, '/_portico/static/old-1a2b.js')).status).toBe(404)
    const publisher = createPublisher(hashedFiles(old.build), store, log)
    await publisher.start()
    const headers = { 'accept-encoding': 'br' }
    const [theirs, ours] = await Promise.all(
      [fresh, old].map((gateway) => send(gateway.port, '/_portico/static/old-1a2b.js', { headers })),
    )
    expect(theirs?.body.equals(ours!.body)).toBe(true)
    for (const name of ['etag', 'content-encoding', 'content-type', 'cache-control'])
      expect([name, theirs?.headers[name]]).toEqual([name, ours?.headers[name]])
    expect(theirs?.headers['content-encoding']).toBe('br')
    expect((await send(fresh.port, '/_portico/manifest/build0.json')).text).toBe('{"buildId":"build0"}')
    expect((await send(fresh.sitePort, '/_portico/static/old-1a2b.js')).text).toBe(text)
    publisher.stop()
    await Promise.all([old, fresh, upstream].map((part) => part.stop()))
    store.close()
  })
})

describe('the end of a file', () => {
  it('G3 keeps files on disk for seven days after they were last published', async () => {
    let now = Date.now()
    const store = createDiskFileStore(mkdtempSync(join(folder, 'days-')), () => now)
    await publishTo(store, [fileOf('a.js', 'a'), publicFile('a', 'a'), fileOf('b.js', 'b'), publicFile('b', 'b')])
    now += PUBLISHED_SECONDS * 500
    await publishTo(store, [fileOf('b.js', 'b'), publicFile('b', 'b')])
    now += PUBLISHED_SECONDS * 500 + 1000
    expect(await store.find('static', 'a.js')).toBeUndefined()
    expect(await store.find('public', 'a')).toBeUndefined()
    expect(await store.find('static', 'b.js')).toBeDefined()
    expect(await store.find('public', 'b')).toBeDefined()
    await publishTo(store, [])
    now -= PUBLISHED_SECONDS * 1000
    // They were removed, not only hidden.
    expect(await store.find('static', 'a.js')).toBeUndefined()
    expect(await store.find('public', 'a')).toBeUndefined()
  })

  it.each([
    ['empty', 0],
    ['cut short', 1],
  ])('G3 publishes a file again that is %s since a loss of power', async (_kind, bytes) => {
    const data = mkdtempSync(join(folder, 'power-'))
    const store = createDiskFileStore(data)
    const files = [publicFile('p', 'public'), fileOf('a.js', 'hashed')]
    await publishTo(store, files)
    const stored = readdirSync(join(data, 'builds'), { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    )
    expect(stored.map(({ name }) => name).sort()).toEqual(['a.js', 'a.js.br', 'a.js.meta.json', 'p'])
    for (const { parentPath, name } of stored) {
      const file = join(parentPath, name)
      const whole = readFileSync(file)
      // The entry of a hashed file is renamed last, so it is lost whole.
      truncateSync(file, name.endsWith('.json') ? 0 : bytes)
      if (name === 'p') expect(await store.find('public', 'p')).toBeUndefined()
      await publishTo(store, files)
      expect([name, readFileSync(file)]).toEqual([name, whole])
    }
  })

  it('G3 leaves no draft of a file that cannot be stored', async () => {
    const data = mkdtempSync(join(folder, 'full-'))
    const store = createDiskFileStore(data)
    await publishTo(store, [publicFile('p', 'public')])
    // A folder of the name: the draft is written and cannot be renamed.
    mkdirSync(join(data, 'builds/public/folder/x'), { recursive: true })
    await expect(store.write(publicFile('folder', 'y'))).rejects.toThrow()
    expect(readdirSync(join(data, 'builds/public')).sort()).toEqual(['folder', 'p'])
  })

  it('G3 removes the drafts of processes that were killed, after seven days', async () => {
    const data = mkdtempSync(join(folder, 'drafts-'))
    let now = Date.now()
    const store = createDiskFileStore(data, () => now)
    await publishTo(store, [])
    const names = ['static', 'public'].map((kind) => join(data, 'builds', kind, 'a.123.draft'))
    for (const name of names) writeFileSync(name, 'half')
    await publishTo(store, [])
    expect(names.map((name) => existsSync(name))).toEqual([true, true])
    now += PUBLISHED_SECONDS * 1000 + 1000
    await publishTo(store, [])
    expect(names.map((name) => existsSync(name))).toEqual([false, false])
  })

  it.skipIf(!hasRedis())('G3 keeps files in Redis for seven days', async () => {
    const store = createRedisFileStore(redisUrl, log)
    await publishTo(store, [fileOf('ttl.js', 'x')])
    const client = new Redis(redis?.url.href ?? '')
    expect(await client.ttl('portico:file:static/ttl.js')).toBeGreaterThan(PUBLISHED_SECONDS - 10)
    client.disconnect()
    store.close()
  })

  it('G3 serves its own files while the store is unavailable', async () => {
    const upstream = await startUpstream('upstream')
    const store = createRedisFileStore(new URL('redis://127.0.0.1:9'), log)
    const files = { 'client/static/own.js': 'own' }
    const gateway = await startGateway({ upstreams: all(upstream), oldBuilds: store, files })
    expect((await send(gateway.port, '/_portico/static/own.js')).text).toBe('own')
    expect((await send(gateway.port, '/_portico/static/gone.js')).status).toBe(404)
    store.close()
    await Promise.all([gateway.stop(), upstream.stop()])
  })
})

describe('names in the store', () => {
  it.each(['../x', '..', '.hidden', 'a/b', 'a\\b', '', 'a b', 'a\0', 'x'.repeat(201)])('G3 refuses %j', (name) => {
    expect(isFileName(name)).toBe(false)
  })
  it.each(['app-1a2b.js', 'places-[slug]-1a.css', '_app.js', '[...rest]-x.js'])('G3 accepts %j', (name) => {
    expect(isFileName(name)).toBe(true)
  })
})
