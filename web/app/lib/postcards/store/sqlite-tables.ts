// The tables of the postcards in SQLite, and the migrations of older files.

import type { DatabaseSync } from 'node:sqlite'

/** Each step runs once, in order; `user_version` counts the steps. */
const STEPS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS postcards (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     place TEXT NOT NULL,
     name TEXT NOT NULL,
     message TEXT NOT NULL,
     sent_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX IF NOT EXISTS postcards_by_place ON postcards (place, id DESC);`,
  // author: hash of a token. removed_at: milliseconds since the epoch.
  `ALTER TABLE postcards ADD COLUMN author TEXT;
   ALTER TABLE postcards ADD COLUMN removed_at INTEGER;
   ALTER TABLE postcards ADD COLUMN picture TEXT;
   ALTER TABLE postcards ADD COLUMN picture_width INTEGER;
   ALTER TABLE postcards ADD COLUMN picture_height INTEGER;
   ALTER TABLE postcards ADD COLUMN picture_bytes INTEGER;
   CREATE INDEX postcards_with_picture ON postcards (picture) WHERE picture IS NOT NULL;
   CREATE INDEX postcards_removed ON postcards (removed_at) WHERE removed_at IS NOT NULL;`,
]

/** Runs the missing steps. When two processes open the file at the same time, the second finds no missing step. */
export function prepareTables(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;')
  inTransaction(database, () => {
    const { user_version: done } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    for (const step of STEPS.slice(done)) database.exec(step)
    if (done < STEPS.length) database.exec(`PRAGMA user_version = ${STEPS.length}`)
  })
}

/** Runs the work as one exclusive write transaction. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
