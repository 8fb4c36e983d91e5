// The folder where files of submissions lie while their action runs (A7). A file is deleted when its request is done.

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of one request. */
export interface UploadScope {
  /** A new path in the folder, remembered for deletion. */
  createPath(): string
  /** Deletes every file of the scope; never rejects. */
  dispose(): Promise<void>
}

export interface Uploads {
  /** Makes the folder and deletes what a process that died left there. */
  prepare(now: number): Promise<void>
  createScope(): UploadScope
}

/** Older files belong to nobody: no action may run for a day. Younger ones may be another replica's. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

export function createUploads(dir: string): Uploads {
  return {
    async prepare(now) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      for (const name of await readdir(dir)) {
        const path = join(dir, name)
        // Another replica may delete its own files just now: then there is nothing left to decide.
        const found = await stat(path).catch(() => undefined)
        if (found && now - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
      }
    },
    createScope() {
      const paths: string[] = []
      return {
        createPath() {
          // SECURITY: the name is ours; a file name from the network never reaches the file system.
          const path = join(dir, `${randomBytes(12).toString('hex')}.upload`)
          paths.push(path)
          return path
        },
        async dispose() {
          await Promise.allSettled(paths.splice(0).map((path) => rm(path, { force: true })))
        },
      }
    },
  }
}
