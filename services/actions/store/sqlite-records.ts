// The tables and statements of the SQLite store: each statement changes one record, and each change is counted in the
// sums of clients, addresses and the whole store. Records over a budget are dropped in the order of
// submission-store.ts; redis-scripts.ts has the same rules in Lua.

import type { DatabaseSync } from 'node:sqlite'
import {
  type BeginOptions,
  type Budgets,
  bodyCharge,
  type DropReason,
  type Holder,
  type Kept,
  MOST_DROPPED,
  type RecordPart,
  rowCharge,
} from './submission-store.ts'

/** Added to the drop_order of a record without a body: every body is dropped before any row. */
const ROW_ORDER = 1e15

// due_at: when the next part expires, the body or the row. drop_order: NULL while the submission runs. body: the number
// of the body. Bodies are appended, because writing a random page of an index costs more than writing a record.
const SCHEMA = `
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000; -- pages, 16 MB: submissions wait for the disk during each checkpoint
  PRAGMA journal_size_limit = 33554432; -- bytes: the log is truncated to this size after a flood
  CREATE TABLE IF NOT EXISTS records (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, owner TEXT NOT NULL, client TEXT NOT NULL, address TEXT NOT NULL,
    lease_until INTEGER NOT NULL, expires_at INTEGER NOT NULL, due_at INTEGER NOT NULL, drop_order INTEGER,
    status INTEGER, location TEXT, row_bytes INTEGER NOT NULL, body_bytes INTEGER NOT NULL DEFAULT 0, body INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS records_due ON records (due_at);
  CREATE INDEX IF NOT EXISTS records_of_client ON records (client, drop_order) WHERE drop_order IS NOT NULL;
  CREATE INDEX IF NOT EXISTS records_of_address ON records (address, drop_order) WHERE drop_order IS NOT NULL;
  CREATE TABLE IF NOT EXISTS bodies (number INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
  CREATE TRIGGER IF NOT EXISTS body_removed AFTER UPDATE OF body ON records
    WHEN new.body IS NULL AND old.body IS NOT NULL BEGIN
    DELETE FROM bodies WHERE number = old.body;
  END;
  CREATE TRIGGER IF NOT EXISTS row_removed AFTER DELETE ON records WHEN old.body IS NOT NULL BEGIN
    DELETE FROM bodies WHERE number = old.body;
  END;`

export function prepareSchema(database: DatabaseSync): void {
  database.exec(SCHEMA)
}

const OWNED = 'id = :id AND owner = :owner AND status IS NULL AND expires_at > :now'
/** The holder and the counted bytes of a removed row. */
const COUNTED = 'client, address, row_bytes + iif(body IS NULL, 0, body_bytes) AS bytes'

export interface RecordRow {
  fingerprint: string
  lease_until: number
  expires_at: number
  /** NULL while the submission runs. */
  status: number | null
  location: string | null
  /** NULL when the body was dropped or has expired. */
  sealed: Uint8Array | null
}

interface FinishedValues extends Pick<Kept, 'status'> {
  id: string
  owner: string
  location: string | null
  now: number
  expiresAt: number
  /** The body, and the time of its expiry. */
  body: { sealed: Uint8Array; until: number } | undefined
}

type Lease = Pick<BeginOptions, 'owner' | 'leaseMs' | 'keepMs'>

interface Counted extends Holder {
  bytes: number
}

/** The casts name the columns of the statements. */
export function createRecords(database: DatabaseSync) {
  const sums = createSums()
  const find = database.prepare(
    `SELECT fingerprint, lease_until, expires_at, status, location, sealed FROM records
     LEFT JOIN bodies ON number = body AND due_at > :now WHERE id = :id`,
  )
  const insert = database.prepare(
    `INSERT INTO records (id, fingerprint, owner, client, address, lease_until, expires_at, due_at, row_bytes)
     VALUES (:id, :fingerprint, :owner, :client, :address, :leaseUntil, :expiresAt, :expiresAt, :bytes)
     ON CONFLICT DO NOTHING`,
  )
  const remove = database.prepare(`DELETE FROM records WHERE id = :id RETURNING ${COUNTED}`)
  const abandon = database.prepare(`DELETE FROM records WHERE ${OWNED} RETURNING ${COUNTED}`)
  const renew = database.prepare(
    `UPDATE records SET lease_until = :leaseUntil, expires_at = :expiresAt, due_at = :expiresAt WHERE ${OWNED}`,
  )
  const removeBody = database.prepare(
    `UPDATE records SET body = NULL, due_at = expires_at, drop_order = drop_order + ${ROW_ORDER}
     WHERE id = :id AND body IS NOT NULL RETURNING client, address, body_bytes AS bytes`,
  )
  const due = database.prepare('SELECT id, expires_at FROM records WHERE due_at <= :now ORDER BY due_at LIMIT :limit')
  const all = database.prepare(`SELECT ${COUNTED} FROM records`)
  /** Whether the statement removed something. */
  const subtract = (removed: unknown): boolean => {
    const counted = removed as Counted | undefined
    if (counted) sums.add(counted, -counted.bytes)
    return counted !== undefined
  }

  const records = {
    sums,
    find: (id: string, now: number) => find.get({ id, now }) as unknown as RecordRow | undefined,
    /** False when there is already a record of this id. */
    insert(id: string, { fingerprint, owner, holder, leaseMs, keepMs }: BeginOptions, now: number): boolean {
      const bytes = rowCharge(undefined)
      const leaseUntil = now + leaseMs
      const values = { id, fingerprint, owner, leaseUntil, expiresAt: leaseUntil + keepMs, bytes }
      if (Number(insert.run({ ...values, ...holder }).changes) === 0) return false
      sums.add(holder, bytes)
      return true
    },
    /** False when the record is not of this owner, or is finished. */
    renew(id: string, { owner, leaseMs, keepMs }: Lease, now: number): boolean {
      const leaseUntil = now + leaseMs
      return Number(renew.run({ id, owner, leaseUntil, expiresAt: leaseUntil + keepMs, now }).changes) > 0
    },
    finish: prepareFinish(database, sums.add),
    remove: (id: string): boolean => subtract(remove.get({ id })),
    abandon: (id: string, owner: string, now: number): boolean => subtract(abandon.get({ id, owner, now })),
    removeBody: (id: string): boolean => subtract(removeBody.get({ id })),
    /** Removes expired parts, the oldest first. */
    sweep(now: number, limit: number): void {
      for (const { id, expires_at } of due.all({ now, limit }) as unknown as { id: string; expires_at: number }[])
        if (expires_at <= now) records.remove(id)
        else records.removeBody(id)
    },
    countAll(): void {
      sums.clear()
      for (const counted of all.iterate() as Iterable<unknown> as Iterable<Counted>) sums.add(counted, counted.bytes)
    },
  }
  return records
}

/** Returns the holder of the record; undefined when the owner has lost the record. */
function prepareFinish(database: DatabaseSync, count: (holder: Holder, bytes: number) => void) {
  const finish = database.prepare(
    `UPDATE records SET status = :status, location = :location, expires_at = :expiresAt, due_at = :dueAt,
       drop_order = :order, row_bytes = :rowBytes, body_bytes = :bodyBytes, body = :body
     WHERE ${OWNED} RETURNING client, address`,
  )
  const addBody = database.prepare('INSERT INTO bodies (sealed) VALUES (:sealed)')
  const removeUnused = database.prepare('DELETE FROM bodies WHERE number = :number')
  return function finishRecord({ body, ...values }: FinishedValues): Holder | undefined {
    const number = body && addBody.run({ sealed: body.sealed }).lastInsertRowid
    const rowBytes = rowCharge(values.location)
    const bodyBytes = body ? bodyCharge(body.sealed) : 0
    const order = values.now + (body ? 0 : ROW_ORDER)
    const dueAt = body ? body.until : values.expiresAt
    const found = finish.get({ ...values, dueAt, order, rowBytes, bodyBytes, body: number ?? null })
    const holder = found as unknown as Holder | undefined
    if (holder) count(holder, rowBytes - rowCharge(undefined) + bodyBytes)
    else if (number !== undefined) removeUnused.run({ number })
    return holder
  }
}

type Records = ReturnType<typeof createRecords>

/** The ledger for makeRoom. */
export function createLedger(database: DatabaseSync, { sums, remove, removeBody }: Records): Ledger {
  const oldest = (column: keyof Holder) =>
    database.prepare(
      `SELECT id, body FROM records WHERE ${column} = :name AND drop_order IS NOT NULL ORDER BY drop_order LIMIT 1`,
    )
  const oldestOf = { client: oldest('client'), address: oldest('address') }
  return {
    held: sums.held,
    largestAddress: sums.largestAddress,
    drop(scope, name, mayDropRows) {
      const found = oldestOf[scope].get({ name }) as { id: string; body: number | null } | undefined
      if (!found) return undefined
      if (found.body !== null) return removeBody(found.id) ? 'body' : undefined
      return mayDropRows && remove(found.id) ? 'row' : undefined
    },
  }
}

export interface Ledger {
  /** Bytes held by the holder's client, by its address, and by the whole store. */
  held(holder: Holder): Budgets
  /** The address that holds most. */
  largestAddress(): string | undefined
  /**
   * Drops the oldest finished body of the client or address; without a body, and if rows may be dropped, its oldest
   * finished row. Undefined when there is nothing to drop.
   */
  drop(scope: keyof Holder, name: string, mayDropRows: boolean): RecordPart | undefined
}

interface MakeRoomOptions {
  holder: Holder
  /** The part that was just added. */
  part: RecordPart
  budgets: Budgets
  onDropped: (part: RecordPart, reason: DropReason) => void
}

/** Drops records until no budget is exceeded; returns a budget that remains exceeded, else undefined. */
export function makeRoom(
  ledger: Ledger,
  { holder, part, budgets, onDropped }: MakeRoomOptions,
): DropReason | undefined {
  const forRow = part === 'row'
  const dropOne = (over: DropReason): RecordPart | undefined => {
    if (over !== 'total') return ledger.drop(over, holder[over], forRow)
    // SECURITY: drops records of the address that holds most, so that a flood displaces only its own records.
    const largest = ledger.largestAddress() ?? holder.address
    const dropped = ledger.drop('address', largest, forRow || largest !== holder.address)
    return dropped ?? ledger.drop('address', holder.address, forRow)
  }
  for (let count = 0; count < MOST_DROPPED; count++) {
    const held = ledger.held(holder)
    const over = (['client', 'address', 'total'] as const).find((reason) => held[reason] > budgets[reason])
    if (over === undefined) return undefined
    const dropped = dropOne(over)
    if (dropped === undefined) return over
    onDropped(dropped, over)
  }
  // More was dropped than added: the next submissions drop the rest.
  return undefined
}

interface Entry {
  address: string
  bytes: number
}

export function createSums() {
  const clients = new Map<string, number>()
  const addresses = new Map<string, number>()
  let total = 0
  // A heap, the largest first. An entry is stale when its bytes differ from the current bytes of the address.
  let heap: Entry[] = []
  const isCurrent = ({ address, bytes }: Entry) => addresses.get(address) === bytes
  return {
    /** `bytes` may be negative. */
    add({ client, address }: Holder, bytes: number): void {
      total += bytes
      addTo(clients, client, bytes)
      addTo(addresses, address, bytes)
      const held = addresses.get(address)
      if (held !== undefined) push(heap, { address, bytes: held })
      if (heap.length > 2 * addresses.size + 1024)
        heap = [...addresses].map(([name, sum]) => ({ address: name, bytes: sum })).sort((a, b) => b.bytes - a.bytes)
    },
    held: ({ client, address }: Holder): Budgets => ({
      client: clients.get(client) ?? 0,
      address: addresses.get(address) ?? 0,
      total,
    }),
    /** The address that holds most. */
    largestAddress(): string | undefined {
      while (heap[0] && !isCurrent(heap[0])) pop(heap)
      return heap[0]?.address
    },
    clear(): void {
      clients.clear()
      addresses.clear()
      heap = []
      total = 0
    },
  }
}

function addTo(sums: Map<string, number>, name: string, bytes: number): void {
  const sum = (sums.get(name) ?? 0) + bytes
  if (sum <= 0) sums.delete(name)
  else sums.set(name, sum)
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    if (heap[above]!.bytes >= entry.bytes) break
    heap[at] = heap[above]!
    at = above
  }
  heap[at] = entry
}

/** Removes the first entry. */
function pop(heap: Entry[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below + 1 < heap.length && heap[below + 1]!.bytes > heap[below]!.bytes) below++
    if (below >= heap.length || heap[below]!.bytes <= last.bytes) break
    heap[at] = heap[below]!
    at = below
  }
  heap[at] = last
}
