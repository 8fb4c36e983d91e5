// Opens SQLite files below DATA_DIR.

import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivateFile, createPrivateFolder } from '../config/private-files.ts'

/** Another process on the same file (two services started by hand) holds the lock for microseconds. */
const BUSY_TIMEOUT_MS = 2000

/** Opens a file that only the user of the service may read, or `:memory:`. */
export function openPrivateDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') {
    createPrivateFolder(dirname(file))
    // SQLite creates its log files with the mode of this file.
    createPrivateFile(file)
  }
  return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
}
