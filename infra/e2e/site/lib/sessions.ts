// lib/sessions.ts
// Who is signed in. The browser holds a random token, the database its hash. For actions and API handlers.

import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { redirect } from 'portico'
import { cookies } from 'portico/server'

/** Portico tells by this cookie whose submission a form is: keep its name. */
const COOKIE = 'session'
const LIFE_SECONDS = 14 * 24 * 60 * 60

let opened: DatabaseSync | undefined

function openDatabase(): DatabaseSync {
  if (opened) return opened
  const folder = process.env.DATA_DIR ?? '.data'
  mkdirSync(folder, { recursive: true })
  opened = new DatabaseSync(join(folder, 'sessions.sqlite'), { timeout: 3000 })
  opened.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, member TEXT NOT NULL, ends_at INTEGER NOT NULL) STRICT;
  `)
  return opened
}

/** A new token at every sign-in: one that somebody else put into the browser before is worth nothing after it. */
export function startSession(member: string): void {
  const token = randomBytes(32).toString('base64url')
  const now = Date.now()
  const database = openDatabase()
  database.prepare('DELETE FROM sessions WHERE hash = ? OR ends_at <= ?').run(hashOfCookie(), now)
  database
    .prepare('INSERT INTO sessions (hash, member, ends_at) VALUES (?, ?, ?)')
    .run(hashOf(token), member, now + LIFE_SECONDS * 1000)
  // HttpOnly, SameSite=Lax and, on https, Secure are what `set` does by itself.
  cookies().set(COOKIE, token, { maxAge: LIFE_SECONDS })
}

export function findMember(): string | undefined {
  const row = openDatabase()
    .prepare('SELECT member FROM sessions WHERE hash = ? AND ends_at > ?')
    .get(hashOfCookie(), Date.now())
  return row && String(row.member)
}

/** For actions: whoever is not signed in is led to the form, and nothing after this line runs. */
export function requireMember(): string {
  return findMember() ?? redirect('/sign-in')
}

export function countSessions(member: string): number {
  const row = openDatabase()
    .prepare('SELECT count(*) AS count FROM sessions WHERE member = ? AND ends_at > ?')
    .get(member, Date.now())
  return Number(row?.count)
}

export function endSession(): void {
  openDatabase().prepare('DELETE FROM sessions WHERE hash = ?').run(hashOfCookie())
  cookies().delete(COOKIE)
}

export function endAllSessions(member: string): void {
  openDatabase().prepare('DELETE FROM sessions WHERE member = ?').run(member)
  cookies().delete(COOKIE)
}

function hashOfCookie(): string {
  return hashOf(cookies().get(COOKIE) ?? '')
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
