// Postcards in SQLite. Only the actions service opens it (actions and API handlers); pages read through the API.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Postcard {
  id: number
  name: string
  message: string
  /** ISO 8601, UTC. */
  sentAt: string
}

export interface PostcardStore {
  add(place: string, name: string, message: string): Postcard
  /** Newest first. */
  list(place: string): Postcard[]
  close(): void
}

/** A rack shows this many; older ones stay in the drawer until KEPT_PER_PLACE pushes them out. */
export const SHOWN_PER_PLACE = 30
/** SECURITY: bounds what strangers can make the disk hold: about 2 MB a place. */
export const KEPT_PER_PLACE = 1000
/** Several replicas may share one file; a writer waits this long for another one. */
const BUSY_TIMEOUT_MS = 3000

/** Opens (and prepares) the database file; `:memory:` for tests. `now` is milliseconds since the epoch. */
export function createPostcardStore(file: string, now: () => number = Date.now): PostcardStore {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS postcards (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      place TEXT NOT NULL,
      name TEXT NOT NULL,
      message TEXT NOT NULL,
      sent_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS postcards_by_place ON postcards (place, id DESC);
  `)
  const insert = database.prepare('INSERT INTO postcards (place, name, message, sent_at) VALUES (?, ?, ?, ?)')
  const trim = database.prepare(
    `DELETE FROM postcards WHERE place = ? AND id <= (
       SELECT id FROM postcards WHERE place = ? ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_PER_PLACE})`,
  )
  const select = database.prepare(
    `SELECT id, name, message, sent_at FROM postcards WHERE place = ? ORDER BY id DESC LIMIT ${SHOWN_PER_PLACE}`,
  )
  return {
    add(place, name, message) {
      const sentAt = new Date(now()).toISOString()
      const { lastInsertRowid } = insert.run(place, name, message, sentAt)
      trim.run(place, place)
      return { id: Number(lastInsertRowid), name, message, sentAt }
    },
    list(place) {
      return select.all(place).map((row) => ({
        id: Number(row.id),
        name: String(row.name),
        message: String(row.message),
        sentAt: String(row.sent_at),
      }))
    },
    close: () => database.close(),
  }
}

let opened: PostcardStore | undefined

/** The store of this process: `atlas.sqlite` in DATA_DIR, opened at the first use. */
export function loadPostcardStore(): PostcardStore {
  if (opened) return opened
  const folder = process.env.DATA_DIR
  if (!folder) throw new Error('DATA_DIR is not set: postcards have nowhere to live')
  mkdirSync(folder, { recursive: true })
  opened = createPostcardStore(join(folder, 'atlas.sqlite'))
  return opened
}
