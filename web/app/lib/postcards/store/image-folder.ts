// The folder of the images of postcards in SQLite.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageType } from '../../postcard-image/read-bytes.ts'
import { imageName, imageTypeOf } from './image-name.ts'
import type { OpenImage } from './postcard-store.ts'

export interface StagedImage {
  /** Name that the image gets. */
  name: string
  /** Renames the file to its final name. */
  commit(): void
  /** Deletes a file that was not committed; without effect after commit. */
  discard(): void
}

export interface ImageFolder {
  /** Writes an image under a temporary name. */
  stage(bytes: Buffer, type: ImageType): Promise<StagedImage>
  drop(name: string): void
  open(name: string): Promise<OpenImage | undefined>
}

/** Opens the folder, and creates it if it is missing. */
export function createImageFolder(dir: string): ImageFolder {
  mkdirSync(dir, { recursive: true })
  deleteAbandoned(dir)
  return {
    async stage(bytes, type) {
      const name = imageName(bytes, type)
      const staged = join(dir, `${randomBytes(8).toString('hex')}.part`)
      await writeFile(staged, bytes, { flag: 'wx', mode: 0o600 })
      return {
        name,
        commit: () => renameSync(staged, join(dir, name)),
        discard: () => rmSync(staged, { force: true }),
      }
    },
    drop: (name) => rmSync(join(dir, name), { force: true }),
    async open(name) {
      const type = imageTypeOf(name)
      if (!type) return undefined
      try {
        const file = await open(join(dir, name))
        const { size: bytes } = await file.stat()
        return { type, bytes, read: () => file.createReadStream({ autoClose: false }), close: () => file.close() }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
  }
}

/** No write takes an hour: the writing process died. Younger files may belong to another replica. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

function deleteAbandoned(dir: string): void {
  for (const name of readdirSync(dir).filter((each) => each.endsWith('.part'))) {
    const found = statSync(join(dir, name), { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) rmSync(join(dir, name), { force: true })
  }
}
