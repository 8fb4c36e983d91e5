// Stores submissions in a SQLite file below DATA_DIR, for a single machine; they survive a restart of the service. The
// calls of one turn of the event loop are one transaction: writing a page costs more than writing a row.

import type { DatabaseSync } from 'node:sqlite'
import { openPrivateDatabase } from '@portico/shared/kit/store/sqlite.ts'
import type { Clock } from '../clock.ts'
import { createLedger, createRecords, makeRoom, prepareSchema, type RecordRow } from './sqlite-records.ts'
import {
  type BeginOptions,
  type BeginResult,
  BUDGETS,
  type Budgets,
  type Holder,
  type KeepTimes,
  type Kept,
  type RecordPart,
  type Seal,
  type StoreEvents,
  type SubmissionStore,
  SWEPT_PER_CALL,
} from './submission-store.ts'

/** Expired records removed by `usage` in one transaction. */
const SWEPT_BY_USAGE = 1000

export interface SqliteStoreDeps extends Pick<Clock, 'now'> {
  /** A path, or `:memory:`. */
  file: string
  seal: Seal
  events: StoreEvents
  budgets?: Budgets
}

export function createSqliteStore({ file, now, seal, events, budgets = BUDGETS }: SqliteStoreDeps): SubmissionStore {
  const database = openPrivateDatabase(file)
  prepareSchema(database)
  const records = createRecords(database)
  const ledger = createLedger(database, records)
  const isCounted = watchOtherProcesses(database)
  const batch = createBatch(database, {
    before() {
      if (!isCounted()) records.countAll()
      records.sweep(now(), SWEPT_PER_CALL)
    },
    onRollback: records.countAll,
  })
  const overBudget = (holder: Holder, part: RecordPart) =>
    makeRoom(ledger, { holder, part, budgets, onDropped: events.onDropped })

  const stateOf = (id: string, options: BeginOptions, time: number) => {
    const row = records.find(id, time)
    return row && readState(id, row, { options, time, seal })
  }

  const begin = (id: string, options: BeginOptions): BeginResult => {
    const time = now()
    for (const other of options.otherIds ?? []) {
      const found = stateOf(other, options, time)
      if (found) return found
    }
    if (!records.insert(id, options, time)) {
      if (records.renew(id, options, time)) return { kind: 'started' }
      const found = stateOf(id, options, time)
      if (found) return found
      records.remove(id)
      records.insert(id, options, time)
    }
    if (overBudget(options.holder, 'row') === undefined) {
      events.onKept('row')
      return { kind: 'started' }
    }
    records.remove(id)
    return { kind: 'full' }
  }

  const finish = (id: string, owner: string, kept: Kept, { keepMs, bodyKeepMs }: KeepTimes): boolean => {
    const time = now()
    const { status, location = null, body } = kept
    const until = time + Math.min(bodyKeepMs, keepMs)
    const holder = records.finish({
      ...{ id, owner, status, location, now: time, expiresAt: time + keepMs },
      body: body === undefined ? undefined : { sealed: seal.close(id, body), until },
    })
    if (!holder) return false
    if (body !== undefined) events.onKept('body')
    const over = overBudget(holder, 'body')
    if (over === undefined) return true
    // Dropping bodies is not enough: this body is dropped too, and rows are dropped only for the bytes of the location.
    if (records.removeBody(id)) events.onDropped('body', over)
    overBudget(holder, 'row')
    return true
  }

  return {
    begin: (id, options) => batch.run(() => begin(id, options)),
    renew: (id, owner, leaseMs, keepMs) => batch.run(() => records.renew(id, { owner, leaseMs, keepMs }, now())),
    finish: (id, owner, kept, times) => batch.run(() => finish(id, owner, kept, times)),
    abandon: (id, owner) => batch.run(() => void records.abandon(id, owner, now())),
    usage: () =>
      batch.run(() => {
        records.sweep(now(), SWEPT_BY_USAGE)
        return records.sums.held({ client: '', address: '' }).total
      }),
    async ping() {
      records.find('', 0)
    },
    async close() {
      batch.flush()
      database.close()
    },
  }
}

/** Whether the sums hold all records: false at first, and after another process on this file has changed some. */
function watchOtherProcesses(database: DatabaseSync): () => boolean {
  const version = database.prepare('PRAGMA data_version')
  let counted: unknown
  return () => {
    const before = counted
    counted = version.get()?.data_version
    return counted === before
  }
}

/** The state of an existing record; undefined when it may be replaced. */
function readState(
  id: string,
  row: RecordRow,
  { options: { fingerprint, takeOver }, time, seal }: { options: BeginOptions; time: number; seal: Seal },
): BeginResult | undefined {
  if (row.expires_at <= time) return undefined
  const found = { fingerprint: row.fingerprint }
  if (row.status !== null) return { kind: 'finished', ...found, kept: keptOf(id, row, row.status, seal) }
  if (row.lease_until > time) return { kind: 'running', ...found }
  return takeOver && row.fingerprint === fingerprint ? undefined : { kind: 'lost', ...found }
}

function keptOf(id: string, { location, sealed }: RecordRow, status: number, seal: Seal): Kept {
  const body = sealed === null ? undefined : seal.open(id, sealed)
  return { status, ...(location !== null && { location }), ...(body !== undefined && { body }) }
}

interface Waiting {
  run: () => void
  settle: () => void
  reject: (error: unknown) => void
}

interface BatchHooks {
  /** Called at the beginning of each transaction. */
  before: () => void
  onRollback: () => void
}

export function createBatch(database: DatabaseSync, { before, onRollback }: BatchHooks) {
  let waiting: Waiting[] = []
  /** Runs the waiting calls. */
  const flush = (): void => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      database.exec('BEGIN IMMEDIATE')
      before()
      for (const { run } of batch) run()
      database.exec('COMMIT')
    } catch (error) {
      // A call after close() is rejected like any other: a closed database has no state to read.
      if (database.isOpen && database.isTransaction) {
        database.exec('ROLLBACK')
        onRollback()
      }
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { settle } of batch) settle()
  }
  return {
    /** Resolves after the commit, so a record survives the end of the process before its action may run. */
    run: <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        let result: T
        const run = () => {
          result = work()
        }
        waiting.push({ run, settle: () => resolve(result), reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
    flush,
  }
}
