// The tables of the SQLite store, and the migration from the file of an older version.

import type { DatabaseSync } from 'node:sqlite'
import { rowCharge } from './charges.ts'

/** Added to the drop_order of a record without a body: every body is dropped before any row. */
export const ROW_ORDER = 1e15

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

// Version 0.1 stored each response as plain text in one table: no submission may run again, and no text may remain.
const TAKE_OVER = `
  INSERT OR IGNORE INTO records
    (id, fingerprint, owner, client, address, lease_until, expires_at, due_at, drop_order, status, location, row_bytes)
  SELECT id, fingerprint, owner, 'earlier', 'earlier', lease_until, expires_at, expires_at,
    CASE WHEN answer IS NULL THEN NULL ELSE expires_at + ${ROW_ORDER} END,
    CASE WHEN answer IS NULL THEN NULL
      WHEN NOT json_valid(answer) OR answer ->> '$.kind' <> 'result' THEN 409
      ELSE CASE answer ->> '$.result.outcome.kind'
        WHEN 'redirect' THEN 303 WHEN 'not-found' THEN 404 WHEN 'error' THEN 500 ELSE 200 END END,
    CASE WHEN json_valid(answer) THEN answer ->> '$.result.outcome.location' END,
    ${rowCharge(undefined)}
  FROM submissions WHERE expires_at > :now;`

export function prepareSchema(database: DatabaseSync, now: number): void {
  database.exec(SCHEMA)
  if (!hasOldTable(database)) return
  database.exec('BEGIN IMMEDIATE')
  // Checked again under the lock: another process on this file may have been faster.
  const isFirst = hasOldTable(database)
  if (isFirst) {
    database.prepare(TAKE_OVER).run({ now })
    database.exec('DROP TABLE submissions')
  }
  database.exec('COMMIT')
  // SECURITY: dropped pages keep their bytes, including session cookies, until VACUUM writes the file again.
  if (isFirst) database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
}

function hasOldTable(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'submissions'").get() !== undefined
}
