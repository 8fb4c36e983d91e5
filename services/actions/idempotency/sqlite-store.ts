// Submissions in a SQLite file below DATA_DIR: what a single machine uses. They outlive a restart of the service.

import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivateFile, createPrivateFolder } from '../../shared/node/private-files.ts'
import type { Clock } from '../clock.ts'
import { createBatch } from './batch.ts'
import { makeRoom } from './make-room.ts'
import type { Seal } from './seal.ts'
import { createLedger, prepareRecords, type RecordRow } from './sqlite-records.ts'
import { prepareSchema } from './sqlite-schema.ts'
import {
  type BeginOptions,
  type BeginResult,
  BUDGETS,
  type Budgets,
  type Holder,
  type KeepTimes,
  type Kept,
  type RecordPart,
  type StoreEvents,
  type SubmissionStore,
  SWEPT_PER_BEGIN,
} from './store.ts'

/** Another process on the same file (two services started by hand) holds its lock for microseconds. */
const BUSY_TIMEOUT_MS = 2000
/** Out-of-date records removed by `usage` in one transaction. */
const SWEPT_BY_USAGE = 1000

export interface SqliteStoreDeps extends Pick<Clock, 'now'> {
  /** A path, or `:memory:`. */
  file: string
  seal: Seal
  events: StoreEvents
  budgets?: Budgets
}

export function createSqliteStore({ file, now, seal, events, budgets = BUDGETS }: SqliteStoreDeps): SubmissionStore {
  const database = openDatabase(file)
  prepareSchema(database, now())
  const records = prepareRecords(database)
  const ledger = createLedger(database, records)
  const batch = createBatch(database)
  const overBudget = (holder: Holder, part: RecordPart) =>
    makeRoom(ledger, { holder, part, budgets, onDropped: events.onDropped })

  const begin = (id: string, options: BeginOptions): BeginResult => {
    const time = now()
    records.sweep(time, SWEPT_PER_BEGIN)
    const row = records.find(id, time)
    if (row && row.expires_at > time) {
      const { fingerprint } = row
      if (row.status !== null) return { kind: 'finished', fingerprint, kept: keptOf(id, row, row.status, seal) }
      if (row.lease_until > time) return { kind: 'running', fingerprint }
      if (!options.takeOver || fingerprint !== options.fingerprint) return { kind: 'lost', fingerprint }
    }
    if (row) records.remove(id)
    records.insert(id, options, time)
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
    const holder = records.finish({ id, owner, status, location, now: time, expiresAt: time + keepMs })
    if (!holder) return false
    overBudget(holder, 'row')
    if (body === undefined) return true
    records.addBody(id, seal.close(id, body), time, time + Math.min(bodyKeepMs, keepMs))
    events.onKept('body')
    const over = overBudget(holder, 'body')
    if (over !== undefined && records.removeBody(id)) events.onDropped('body', over)
    return true
  }

  return {
    begin: (id, options) => batch.run(() => begin(id, options)),
    renew: (id, owner, leaseMs, keepMs) =>
      batch.run(() => records.renew(id, owner, now() + leaseMs, now() + leaseMs + keepMs, now())),
    finish: (id, owner, kept, times) => batch.run(() => finish(id, owner, kept, times)),
    abandon: (id, owner) => batch.run(() => records.abandon(id, owner, now())),
    usage: () =>
      batch.run(() => {
        records.sweep(now(), SWEPT_BY_USAGE)
        return ledger.held({ client: '', address: '' }).total
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

function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') {
    createPrivateFolder(dirname(file))
    // SQLite gives its log files the mode of this one.
    createPrivateFile(file)
  }
  return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
}

function keptOf(id: string, { location, sealed }: RecordRow, status: number, seal: Seal): Kept {
  const body = sealed === null ? undefined : seal.open(id, sealed)
  return { status, ...(location !== null && { location }), ...(body !== undefined && { body }) }
}
