// Files and folders that hold secrets, responses or uploads: only the user of the service may read them.

import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Names in DATA_DIR that this stack gives; everything else there is the site's own. */
const OWN_FILE = /^(?:submissions\.sqlite(?:-wal|-shm)?|[\w-]+\.secret)$/

/** Creates the folder and its parents; a folder that exists keeps its mode. */
export function createPrivateFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: FOLDER_MODE })
}

/** Creates the file if it is missing, before another program creates it with the mode of the umask. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE))
}

/**
 * Takes from others what older versions allowed them in DATA_DIR: the folder itself, the stack's files, the uploads.
 * Returns the paths whose mode cannot be changed because they belong to another user.
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
    // Not there yet: it will be created with the right mode.
    return []
  }
}

/** Whether only the owner has access now. */
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
