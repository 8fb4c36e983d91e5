// lib/limit.ts
// How often something may be done, counted in one SQLite file for all replicas of the actions service.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { headers } from 'portico/server'

let opened: DatabaseSync | undefined

function openDatabase(): DatabaseSync {
  if (opened) return opened
  const folder = process.env.DATA_DIR ?? '.data'
  mkdirSync(folder, { recursive: true })
  opened = new DatabaseSync(join(folder, 'limits.sqlite'), { timeout: 3000 })
  opened.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS turns (key TEXT PRIMARY KEY, count INTEGER NOT NULL, ends_at INTEGER NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS turns_by_end ON turns (ends_at);
  `)
  return opened
}

/** Counts one more; false when that was one too many for the time that began with the first. */
export function takeTurn(key: string, { times, seconds }: { times: number; seconds: number }): boolean {
  const database = openDatabase()
  const now = Date.now()
  database.prepare('DELETE FROM turns WHERE ends_at <= ?').run(now)
  const row = database
    .prepare(
      `INSERT INTO turns (key, count, ends_at) VALUES (?, 1, ?)
       ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count`,
    )
    .get(key, now + seconds * 1000)
  return Number(row?.count) <= times
}

/** The visitor's address as the gateway tells it; of IPv6 the first 64 bits, because a household has all the rest. */
export function visitorNetwork(): string {
  const address = headers().get('x-forwarded-for') ?? ''
  if (!address.includes(':')) return address
  const [front = [], back = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
