// The store of this process, opened at the first use. Only the actions service opens it (actions and API handlers);
// pages read through the API.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres, openSqlite } from './open-database.ts'
import { createPostcardStore, KEPT_REMOVED_MS, type PostcardStore } from './postcard-store.ts'

let opened: Promise<PostcardStore> | undefined

/**
 * PostgreSQL at DATABASE_URL; without it `atlas.sqlite` in DATA_DIR. A store that cannot be opened is opened again at the
 * next use.
 */
export function loadPostcardStore(): Promise<PostcardStore> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return opened
}

async function open(): Promise<PostcardStore> {
  const { DATABASE_URL, DATABASE_PASSWORD_FILE, DATA_DIR } = process.env
  const database = DATABASE_URL ? openPostgres(DATABASE_URL, DATABASE_PASSWORD_FILE) : openSqlite(fileIn(DATA_DIR))
  const store = createPostcardStore(await database)
  // Cards are deleted without any request.
  setInterval(() => {
    store.purge().catch((error: unknown) => {
      // Another replica held the lock for too long, or the database is unavailable: the next run finds the same cards.
      console.warn('postcards that were taken down could not be deleted just now', error)
    })
  }, KEPT_REMOVED_MS / 2).unref()
  return store
}

function fileIn(folder: string | undefined): string {
  if (!folder) throw new Error('DATA_DIR is not set: postcards need a folder')
  mkdirSync(folder, { recursive: true })
  return join(folder, 'atlas.sqlite')
}
