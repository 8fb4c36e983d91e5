// Notes and counters of the second site, in SQLite below DATA_DIR. Opened by the actions service only.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Note {
  id: number
  subject: string
  text: string
}

let opened: DatabaseSync | undefined

function openDatabase(): DatabaseSync {
  if (opened) return opened
  const folder = process.env.DATA_DIR
  if (!folder) throw new Error('DATA_DIR is not set')
  mkdirSync(folder, { recursive: true })
  opened = new DatabaseSync(join(folder, 'fixture.sqlite'), { timeout: 3000 })
  opened.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, text TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  `)
  return opened
}

export function addNote(subject: string, text: string): void {
  openDatabase().prepare('INSERT INTO notes (subject, text) VALUES (?, ?)').run(subject, text)
}

export function removeNote(id: number): void {
  openDatabase().prepare('DELETE FROM notes WHERE id = ?').run(id)
}

/** Newest first, of one subject or of all. */
export function listNotes(subject?: string): Note[] {
  return openDatabase()
    .prepare('SELECT id, subject, text FROM notes WHERE ?1 IS NULL OR subject = ?1 ORDER BY id DESC LIMIT 50')
    .all(subject ?? null)
    .map((row) => ({ id: Number(row.id), subject: String(row.subject), text: String(row.text) }))
}

/** Adds one to a counter and returns its new value. */
export function countUp(name: string): number {
  const row = openDatabase()
    .prepare(
      'INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value',
    )
    .get(name)
  return Number(row?.value)
}

export function readCounter(name: string): number {
  return Number(openDatabase().prepare('SELECT value FROM counters WHERE name = ?').get(name)?.value ?? 0)
}
