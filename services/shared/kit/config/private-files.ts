// Files and folders for secrets, responses or uploads, which only the user of the service may read.

import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Names in DATA_DIR that belong to this stack; everything else there belongs to the site. */
const OWN_FILE = /^(?:(?:submissions|marks)\.sqlite(?:-wal|-shm)?|[\w-]+\.secret)$/

/** Creates the folder and its parents; an existing folder keeps its mode. */
export function createPrivateFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: FOLDER_MODE })
}

/** Creates a missing file, before another program creates the file with the mode of the umask. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE))
}

/**
 * Removes the access that other users have in DATA_DIR, for example after a copy: to the folder, the stack's files, the
 * uploads. Returns the paths whose mode cannot be changed because another user owns them.
 */
export function tightenDataDir(dataDir: string): string[] {
  const uploads = join(dataDir, 'uploads')
  const paths = [dataDir, uploads]
  for (const name of namesIn(dataDir)) if (OWN_FILE.test(name)) paths.push(join(dataDir, name))
  for (const name of namesIn(uploads)) paths.push(join(uploads, name))
  return paths.filter((path) => !tighten(path))
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    // A missing file will be created with the right mode.
    return []
  }
}

/** Removes the access of other users; false for a path of another user. */
function tighten(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || (found.mode & 0o077) === 0) return true
  try {
    chmodSync(path, found.isDirectory() ? FOLDER_MODE : FILE_MODE)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code === 'EPERM' || code === 'EROFS') return false
    throw error
  }
}
