// The guestbook, in SQLite in the folder that DATA_DIR names. Only the actions service opens it: pages fetch /api/guestbook.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { GuestbookInput } from './guestbook-input.ts'

export interface GuestbookEntry extends GuestbookInput {
  id: number
  /** As in 2026-05-01T09:30:00Z. */
  signedAt: string
}

let opened: DatabaseSync | undefined

function openDatabase(): DatabaseSync {
  if (opened) return opened
  const folder = process.env.DATA_DIR
  if (!folder) throw new Error('DATA_DIR is not set')
  mkdirSync(folder, { recursive: true })
  opened = new DatabaseSync(join(folder, 'guestbook.sqlite'), { timeout: 3000 })
  opened.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS entries (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      message TEXT NOT NULL,
      signed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
    ) STRICT;
  `)
  return opened
}

export function addEntry({ name, message }: GuestbookInput): void {
  openDatabase().prepare('INSERT INTO entries (name, message) VALUES (?, ?)').run(name, message)
}

/** The newest first. */
export function listEntries(): GuestbookEntry[] {
  return openDatabase()
    .prepare('SELECT id, name, message, signed_at FROM entries ORDER BY id DESC LIMIT 50')
    .all()
    .map((row) => ({
      id: Number(row.id),
      name: String(row.name),
      message: String(row.message),
      signedAt: String(row.signed_at),
    }))
}
