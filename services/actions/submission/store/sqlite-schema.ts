// The tables of the SQLite store.

import type { DatabaseSync } from 'node:sqlite'

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

export function prepareSchema(database: DatabaseSync): void {
  database.exec(SCHEMA)
}
