// The store of this process, opened at the first use. Only the actions service opens it (actions and API handlers);
// pages read through the API.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createImageFolder } from './image-folder.ts'
import { KEPT_REMOVED_MS, type PostcardStore } from './postcard-store.ts'
import { createSqliteStore } from './sqlite-store.ts'

let opened: Promise<PostcardStore> | undefined

/**
 * PostgreSQL at DATABASE_URL; without it `atlas.sqlite` and `pictures/` in DATA_DIR. A store that cannot be opened is
 * opened again at the next use.
 */
export function loadPostcardStore(): Promise<PostcardStore> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return opened
}

async function open(): Promise<PostcardStore> {
  const store = process.env.DATABASE_URL ? await openPostgres(process.env.DATABASE_URL) : openSqlite()
  // Cards are deleted without any request.
  setInterval(() => {
    store.purge().catch((error: unknown) => {
      // Another replica held the lock for too long, or the database is unavailable: the next run finds the same cards.
      console.warn('postcards that were taken down could not be deleted just now', error)
    })
  }, KEPT_REMOVED_MS / 2).unref()
  return store
}

/** Its modules are loaded only where they are used. */
async function openPostgres(url: string): Promise<PostcardStore> {
  const { openDatabase } = await import('./postgres-database.ts')
  const { createPostgresStore } = await import('./postgres-store.ts')
  const passwordFile = process.env.DATABASE_PASSWORD_FILE
  const database = openDatabase(url, passwordFile ? { passwordFile } : {})
  try {
    return await createPostgresStore(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

function openSqlite(): PostcardStore {
  const folder = process.env.DATA_DIR
  if (!folder) throw new Error('DATA_DIR is not set: postcards need a folder')
  mkdirSync(folder, { recursive: true })
  return createSqliteStore(join(folder, 'atlas.sqlite'), createImageFolder(join(folder, 'pictures')))
}
