// The tables of the SQLite store. Triggers keep the sums of the budgets, so that no statement can change a record and
// forget to count it.

import type { DatabaseSync } from 'node:sqlite'
import { IDEMPOTENCY_ROW_BYTES } from '../../shared/wire/constants.ts'

/** Added to a record's place in the order of dropping when its body is gone: every body is dropped before any row. */
export const ROW_ORDER = 1e15

// due_at: when the next part is out of date, the body or the row. drop_order: NULL while it runs.
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000; -- pages, 16 MB: each time the log is written back, submissions wait for the disk
  PRAGMA journal_size_limit = 33554432; -- after a flood the log is cut to this
  CREATE TABLE IF NOT EXISTS records (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, owner TEXT NOT NULL, client TEXT NOT NULL, address TEXT NOT NULL,
    lease_until INTEGER NOT NULL, expires_at INTEGER NOT NULL, due_at INTEGER NOT NULL, drop_order INTEGER,
    status INTEGER, location TEXT, row_bytes INTEGER NOT NULL, body_bytes INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS records_due ON records (due_at);
  CREATE INDEX IF NOT EXISTS records_of_client ON records (client, drop_order) WHERE drop_order IS NOT NULL;
  CREATE INDEX IF NOT EXISTS records_of_address ON records (address, drop_order) WHERE drop_order IS NOT NULL;
  CREATE TABLE IF NOT EXISTS bodies (id TEXT PRIMARY KEY, sealed BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS holders (
    scope TEXT NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (scope, name)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS holders_by_bytes ON holders (scope, bytes);
  CREATE TRIGGER IF NOT EXISTS count_new AFTER INSERT ON records BEGIN
    INSERT INTO holders (scope, name, bytes) VALUES
      ('client', new.client, new.row_bytes + new.body_bytes),
      ('address', new.address, new.row_bytes + new.body_bytes),
      ('total', '', new.row_bytes + new.body_bytes)
    ON CONFLICT (scope, name) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER IF NOT EXISTS count_changed AFTER UPDATE OF row_bytes, body_bytes ON records BEGIN
    UPDATE holders SET bytes = bytes + new.row_bytes + new.body_bytes - old.row_bytes - old.body_bytes
      WHERE (scope, name) IN (VALUES ('client', new.client), ('address', new.address), ('total', ''));
    DELETE FROM bodies WHERE new.body_bytes = 0 AND id = new.id;
  END;
  CREATE TRIGGER IF NOT EXISTS count_removed AFTER DELETE ON records BEGIN
    UPDATE holders SET bytes = bytes - old.row_bytes - old.body_bytes
      WHERE (scope, name) IN (VALUES ('client', old.client), ('address', old.address), ('total', ''));
    DELETE FROM holders WHERE bytes <= 0
      AND (scope, name) IN (VALUES ('client', old.client), ('address', old.address), ('total', ''));
    DELETE FROM bodies WHERE old.body_bytes > 0 AND id = old.id;
  END;`

// Version 0.1 kept each response as plain text in one table: what ran must not run again, its text must not stay.
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
    ${IDEMPOTENCY_ROW_BYTES}
  FROM submissions WHERE expires_at > :now;`

export function prepareSchema(database: DatabaseSync, now: number): void {
  database.exec(SCHEMA)
  if (!hasOldTable(database)) return
  database.exec('BEGIN IMMEDIATE')
  // Asked again under the lock: another process on this file may have been faster.
  const isOurs = hasOldTable(database)
  if (isOurs) {
    database.prepare(TAKE_OVER).run({ now })
    database.exec('DROP TABLE submissions')
  }
  database.exec('COMMIT')
  // SECURITY: dropped pages keep their bytes, session cookies among them, until the file is written without them.
  if (isOurs) database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
}

function hasOldTable(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'submissions'").get() !== undefined
}
