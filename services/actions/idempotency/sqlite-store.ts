// Submissions in a SQLite file below DATA_DIR: what a single machine uses. They outlive a restart of the service.

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import type { BeginResult, SubmissionStore } from './store.ts'

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000; -- pages, 16 MB: each time the log is written back, submissions wait for the disk
  CREATE TABLE IF NOT EXISTS submissions (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, owner TEXT NOT NULL,
    lease_until INTEGER NOT NULL, expires_at INTEGER NOT NULL, answer TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS submissions_expires_at ON submissions (expires_at);`

// Takes the row when there is none, when it is out of date, or when its owner died and may be followed.
const BEGIN = `
  INSERT INTO submissions (id, fingerprint, owner, lease_until, expires_at, answer)
  VALUES (:id, :fingerprint, :owner, :now + :leaseMs, :now + :leaseMs + :keepMs, NULL)
  ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, owner = excluded.owner,
    lease_until = excluded.lease_until, expires_at = excluded.expires_at, answer = NULL
  WHERE expires_at <= :now
     OR (:takeOver = 1 AND answer IS NULL AND lease_until <= :now AND fingerprint = excluded.fingerprint)`

const OWNED = 'id = :id AND owner = :owner AND answer IS NULL AND expires_at > :now'

/** Another process on the same file (two services started by hand) holds its lock for microseconds. */
const BUSY_TIMEOUT_MS = 2000
/** Out-of-date rows are deleted once in this many new ones. */
const SWEEP_EVERY = 256

interface Row {
  fingerprint: string
  lease_until: number
  answer: string | null
}

export function createSqliteStore({ file, now }: { file: string } & Pick<Clock, 'now'>): SubmissionStore {
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  database.exec(SCHEMA)
  const insert = database.prepare(BEGIN)
  const select = database.prepare('SELECT fingerprint, lease_until, answer FROM submissions WHERE id = :id')
  const renewing = database.prepare(
    `UPDATE submissions SET lease_until = :now + :leaseMs, expires_at = :now + :leaseMs + :keepMs WHERE ${OWNED}`,
  )
  const finishing = database.prepare(
    `UPDATE submissions SET answer = :answer, expires_at = :now + :keepMs WHERE ${OWNED}`,
  )
  const abandoning = database.prepare(`DELETE FROM submissions WHERE ${OWNED}`)
  const sweeping = database.prepare('DELETE FROM submissions WHERE expires_at <= :now')
  const batch = createBatch(database)
  let begun = 0

  return {
    begin: (id, { fingerprint, owner, leaseMs, keepMs, takeOver }) =>
      batch.run((): BeginResult => {
        if (begun++ % SWEEP_EVERY === 0) sweeping.run({ now: now() })
        const time = now()
        const written = insert.run({ id, fingerprint, owner, leaseMs, keepMs, now: time, takeOver: takeOver ? 1 : 0 })
        if (Number(written.changes) > 0) return { kind: 'started' }
        // The row's columns are those of the SELECT above; it is there, because the insert met it.
        const row = select.get({ id }) as unknown as Row
        if (row.answer !== null) return { kind: 'finished', fingerprint: row.fingerprint, answer: row.answer }
        return { kind: row.lease_until > time ? 'running' : 'lost', fingerprint: row.fingerprint }
      }),
    renew: (id, owner, leaseMs, keepMs) =>
      batch.run(() => Number(renewing.run({ id, owner, leaseMs, keepMs, now: now() }).changes) > 0),
    finish: (id, owner, answer, keepMs) =>
      batch.run(() => Number(finishing.run({ id, owner, answer, keepMs, now: now() }).changes) > 0),
    abandon: (id, owner) => batch.run(() => void abandoning.run({ id, owner, now: now() })),
    async ping() {
      select.get({ id: '' })
    },
    async close() {
      batch.end()
      database.close()
    },
  }
}

interface Waiting {
  run: () => void
  settle: () => void
  reject: (error: unknown) => void
}

/**
 * Carries out what came in one turn of the event loop as one transaction: writing a page costs more than a row. Nobody
 * hears of a result before it is committed, so a record outlives the process from the moment that its action may run.
 */
function createBatch(database: DatabaseSync) {
  let waiting: Waiting[] = []
  const flush = (): void => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      if (batch.length > 1) database.exec('BEGIN IMMEDIATE')
      for (const { run } of batch) run()
      if (batch.length > 1) database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { settle } of batch) settle()
  }
  return {
    run: <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        let result: T
        const run = () => {
          result = work()
        }
        waiting.push({ run, settle: () => resolve(result), reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
    end: flush,
  }
}
