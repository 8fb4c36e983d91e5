// Records of version 0.1, in its SQLite file and in Redis: no submission runs again, and no text remains (A5).

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HOLDER, noteEvents, TEST_SEAL } from '../../testing/test-store.ts'
import { createRedisStore, createStateRedis } from './redis-store.ts'
import { createSqliteStore } from './sqlite-store.ts'
import type { BeginOptions } from './store.ts'

const OPTIONS: BeginOptions = {
  fingerprint: 'f',
  owner: 'new',
  holder: HOLDER,
  leaseMs: 10_000,
  keepMs: 60_000,
  takeOver: false,
}
const errorContentOf = (outcome: object) =>
  JSON.stringify({ kind: 'result', result: { outcome, setCookies: ['session=canary'], revalidated: false } })
const OLD_RECORDS: [string, string, object][] = [
  ['value', errorContentOf({ kind: 'value', json: '1' }), { status: 200 }],
  ['redirect', errorContentOf({ kind: 'redirect', location: '/there' }), { status: 303, location: '/there' }],
  ['not-found', errorContentOf({ kind: 'not-found' }), { status: 404 }],
  ['error', errorContentOf({ kind: 'error', digest: 'd' }), { status: 500 }],
  ['unknown', '{"kind":"unknown"}', { status: 409 }],
  ['rubbish', '{"kind":', { status: 409 }],
]

describe('a SQLite file of version 0.1', () => {
  const now = 1_000_000

  function oldFile(): { dir: string; file: string } {
    const dir = mkdtempSync(join(tmpdir(), 'portico-old-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const file = join(dir, 'submissions.sqlite')
    const database = new DatabaseSync(file)
    // As created by version 0.1.
    database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE submissions (
        id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, owner TEXT NOT NULL,
        lease_until INTEGER NOT NULL, expires_at INTEGER NOT NULL, answer TEXT
      ) WITHOUT ROWID;
      CREATE INDEX submissions_expires_at ON submissions (expires_at);`)
    const insert = database.prepare('INSERT INTO submissions VALUES (?, ?, ?, ?, ?, ?)')
    for (const [id, content] of OLD_RECORDS) insert.run(id, 'f', 'old', now, now + 60_000, content)
    insert.run('running', 'f', 'old', now + 5000, now + 60_000, null)
    insert.run('lost', 'f', 'old', now - 1, now + 60_000, null)
    insert.run('expired', 'f', 'old', now - 9, now - 1, errorContentOf({ kind: 'value' }))
    database.close()
    return { dir, file }
  }

  it('A5 opens: finished submissions are done, running ones run, and no response is left in any file', async () => {
    const { dir, file } = oldFile()
    expect(readFileSync(file).includes('canary')).toBe(true)
    const open = () => createSqliteStore({ file, now: () => now, seal: TEST_SEAL, events: noteEvents() })
    const [store, second] = [open(), open()]
    for (const [id, , kept] of OLD_RECORDS)
      expect([id, await store.begin(id, OPTIONS)]).toEqual([id, { kind: 'finished', fingerprint: 'f', kept }])
    expect(await second.begin('running', OPTIONS)).toEqual({ kind: 'running', fingerprint: 'f' })
    expect(await store.finish('running', 'old', { status: 200 }, { keepMs: 1, bodyKeepMs: 1 })).toBe(true)
    expect(await store.begin('lost', OPTIONS)).toEqual({ kind: 'lost', fingerprint: 'f' })
    expect(await store.begin('expired', OPTIONS)).toEqual({ kind: 'started' })
    for (const name of readdirSync(dir)) expect(readFileSync(join(dir, name)).includes('canary')).toBe(false)
    await store.close()
    await second.close()
  })
})

describe.skipIf(!hasRedis())('a Redis of version 0.1', () => {
  it('A5 repeats the responses of its records, detects running ones, and starts none of them again', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const admin = new Redis(server.url.href)
    onTestFinished(() => admin.disconnect())
    const body = errorContentOf({ kind: 'value', json: '1' })
    await admin.set('portico:submission:done', `f old 86400000 ${body}`, 'PX', 60_000)
    await admin.set('portico:submission:running', 'f old 60000', 'PX', 65_000)
    await admin.set('portico:submission:lost', 'f old 60000', 'PX', 50_000)
    const redis = createStateRedis(server.url, { log: createLog('actions', 'silent') })
    await new Promise((done) => redis.once('ready', done))
    const store = createRedisStore(redis, { seal: TEST_SEAL, events: noteEvents() })
    onTestFinished(() => store.close())
    const kept = { status: 200, body }
    expect(await store.begin('done', OPTIONS)).toEqual({ kind: 'finished', fingerprint: 'f', kept })
    expect(await store.begin('running', OPTIONS)).toEqual({ kind: 'running', fingerprint: 'f' })
    expect(await store.begin('lost', OPTIONS)).toEqual({ kind: 'lost', fingerprint: 'f' })
    expect(await store.usage()).toBe(0)
    expect(await store.begin('lost', { ...OPTIONS, takeOver: true })).toEqual({ kind: 'started' })
    expect(await store.usage()).toBe(1536)
  })
})
