// The folder for files of submissions while their action runs (A7). A file is deleted at the end of its request.

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type Uploads = ReturnType<typeof createUploads>
/** Files of one request. */
export type UploadScope = ReturnType<Uploads['createScope']>

/** No action may run for a day, so older files are abandoned. Newer files may belong to another replica. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

export function createUploads(dir: string) {
  return {
    /** Creates the folder and deletes the files of dead processes. */
    async prepare(now: number): Promise<void> {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      for (const name of await readdir(dir)) {
        const path = join(dir, name)
        // Another replica may delete its own file at the same time.
        const found = await stat(path).catch(() => undefined)
        if (found && now - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
      }
    },
    createScope() {
      const paths: string[] = []
      return {
        /** Creates a path in the folder; `dispose` deletes the file. */
        createPath(): string {
          // SECURITY: this service creates the name; a file name from the network never reaches the file system.
          const path = join(dir, `${randomBytes(12).toString('hex')}.upload`)
          paths.push(path)
          return path
        },
        /** Deletes every file of the scope; never rejects. */
        async dispose(): Promise<void> {
          await Promise.allSettled(paths.splice(0).map((path) => rm(path, { force: true })))
        },
      }
    },
  }
}
