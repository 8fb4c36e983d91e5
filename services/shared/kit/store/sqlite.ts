// Opens SQLite files below DATA_DIR.

import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivateFile, createPrivateFolder } from '../config/private-files.ts'

/** Another process on the same file (two services started by hand) holds the lock for microseconds. */
const BUSY_TIMEOUT_MS = 2000

/** Between two attempts to change the mode of the file. */
const RETRY_MS = 10
/** SQLITE_BUSY: another connection holds the lock. */
const BUSY = 5

/** Opens a file that only the user of the service may read, or `:memory:`; its writers do not wait for readers. */
export function openPrivateDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') {
    createPrivateFolder(dirname(file))
    // SQLite creates its log files with the mode of this file.
    createPrivateFile(file)
  }
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  useLog(database)
  return database
}

/**
 * The file keeps the mode. SQLite does not wait for the lock where it could wait for ever, as it does for other statements:
 * of two processes that change the mode of a new file at the same moment, one is refused at once.
 */
function useLog(database: DatabaseSync): void {
  const until = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY
}
