// The statements of the SQLite store: one record at a time. Sums and bodies follow by the triggers of sqlite-schema.ts.

import type { DatabaseSync } from 'node:sqlite'
import { IDEMPOTENCY_BODY_OVERHEAD_BYTES, IDEMPOTENCY_ROW_BYTES } from '../../shared/wire/constants.ts'
import type { Ledger } from './make-room.ts'
import { ROW_ORDER } from './sqlite-schema.ts'
import type { BeginOptions, Budgets, Holder } from './store.ts'

const OWNED = 'id = :id AND owner = :owner AND status IS NULL AND expires_at > :now'

export interface RecordRow {
  fingerprint: string
  lease_until: number
  expires_at: number
  /** NULL while it runs. */
  status: number | null
  location: string | null
  /** NULL when the body is gone or out of date. */
  sealed: Uint8Array | null
}

export interface FinishedValues {
  id: string
  owner: string
  status: number
  location: string | null
  now: number
  expiresAt: number
}

export function prepareRecords(database: DatabaseSync) {
  const find = database.prepare(
    `SELECT fingerprint, lease_until, expires_at, status, location, sealed FROM records
     LEFT JOIN bodies ON bodies.id = records.id AND due_at > :now WHERE records.id = :id`,
  )
  const insert = database.prepare(
    `INSERT INTO records (id, fingerprint, owner, client, address, lease_until, expires_at, due_at, row_bytes)
     VALUES (:id, :fingerprint, :owner, :client, :address, :leaseUntil, :expiresAt, :expiresAt, ${IDEMPOTENCY_ROW_BYTES})`,
  )
  const remove = database.prepare('DELETE FROM records WHERE id = :id')
  const renew = database.prepare(
    `UPDATE records SET lease_until = :leaseUntil, expires_at = :expiresAt, due_at = :expiresAt WHERE ${OWNED}`,
  )
  const finish = database.prepare(
    `UPDATE records SET status = :status, location = :location, expires_at = :expiresAt, due_at = :expiresAt,
       drop_order = :now + ${ROW_ORDER}, row_bytes = ${IDEMPOTENCY_ROW_BYTES} + coalesce(octet_length(:location), 0)
     WHERE ${OWNED} RETURNING client, address`,
  )
  const addBody = database.prepare('INSERT INTO bodies (id, sealed) VALUES (:id, :sealed)')
  const countBody = database.prepare(
    'UPDATE records SET body_bytes = :bytes, due_at = :until, drop_order = :now WHERE id = :id',
  )
  const removeBody = database.prepare(
    `UPDATE records SET body_bytes = 0, due_at = expires_at, drop_order = drop_order + ${ROW_ORDER}
     WHERE id = :id AND body_bytes > 0`,
  )
  const abandon = database.prepare(`DELETE FROM records WHERE ${OWNED}`)
  const due = database.prepare('SELECT id, expires_at FROM records WHERE due_at <= :now ORDER BY due_at LIMIT :limit')

  // The casts name the columns of the statements above.
  return {
    find: (id: string, now: number) => find.get({ id, now }) as unknown as RecordRow | undefined,
    insert(id: string, { fingerprint, owner, holder, leaseMs, keepMs }: BeginOptions, now: number): void {
      const leaseUntil = now + leaseMs
      insert.run({ id, fingerprint, owner, ...holder, leaseUntil, expiresAt: leaseUntil + keepMs })
    },
    remove: (id: string): void => void remove.run({ id }),
    renew(id: string, owner: string, leaseUntil: number, expiresAt: number, now: number): boolean {
      return Number(renew.run({ id, owner, leaseUntil, expiresAt, now }).changes) > 0
    },
    /** Whose record it is; undefined when the owner has lost it. */
    finish: (values: FinishedValues) => finish.get({ ...values }) as unknown as Holder | undefined,
    addBody(id: string, sealed: Uint8Array, now: number, until: number): void {
      addBody.run({ id, sealed })
      countBody.run({ id, bytes: sealed.length + IDEMPOTENCY_BODY_OVERHEAD_BYTES, until, now })
    },
    /** Whether there was one. */
    removeBody: (id: string): boolean => Number(removeBody.run({ id }).changes) > 0,
    abandon: (id: string, owner: string, now: number): void => void abandon.run({ id, owner, now }),
    /** Removes what is out of date, the oldest first. */
    sweep(now: number, limit: number): void {
      for (const { id, expires_at } of due.all({ now, limit }) as unknown as { id: string; expires_at: number }[])
        if (expires_at <= now) remove.run({ id })
        else removeBody.run({ id })
    },
  }
}

export type Records = ReturnType<typeof prepareRecords>

/** The sums of the budgets, and what may be dropped for them. */
export function createLedger(database: DatabaseSync, records: Records): Ledger {
  const held = database.prepare(
    `SELECT coalesce((SELECT bytes FROM holders WHERE scope = 'client' AND name = :client), 0) AS client,
       coalesce((SELECT bytes FROM holders WHERE scope = 'address' AND name = :address), 0) AS address,
       coalesce((SELECT bytes FROM holders WHERE scope = 'total' AND name = ''), 0) AS total`,
  )
  const largest = database.prepare("SELECT name FROM holders WHERE scope = 'address' ORDER BY bytes DESC LIMIT 1")
  const oldest = (column: keyof Holder) =>
    database.prepare(
      `SELECT id, body_bytes FROM records WHERE ${column} = :name AND drop_order IS NOT NULL ORDER BY drop_order LIMIT 1`,
    )
  const oldestOf = { client: oldest('client'), address: oldest('address') }
  return {
    held: (holder) => held.get({ ...holder }) as unknown as Budgets,
    largestAddress: () => (largest.get() as { name: string } | undefined)?.name,
    drop(scope, name, mayDropRows) {
      const found = oldestOf[scope].get({ name }) as { id: string; body_bytes: number } | undefined
      if (!found) return undefined
      if (found.body_bytes > 0) {
        records.removeBody(found.id)
        return 'body'
      }
      if (!mayDropRows) return undefined
      records.remove(found.id)
      return 'row'
    },
  }
}
