// The folder of the images of postcards, named by their content: two cards with the same image share a file.

import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageType } from '../postcard-image/read-bytes.ts'

const EXTENSIONS: Readonly<Record<ImageType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
}

/** Where the images are served; `images.localPatterns` names it. */
export const IMAGES_PATH = '/api/pictures'

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
  /** Opens an image to read; undefined for an invalid name or a missing file. */
  open(name: string): Promise<{ file: FileHandle; bytes: number; type: ImageType } | undefined>
}

/** Opens the folder, and creates it if it is missing. */
export function createImageFolder(dir: string): ImageFolder {
  mkdirSync(dir, { recursive: true })
  deleteAbandoned(dir)
  return {
    async stage(bytes, type) {
      const name = `${createHash('sha256').update(bytes).digest('hex')}.${EXTENSIONS[type]}`
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
      const type = typeOf(name)
      if (!type) return undefined
      try {
        const file = await open(join(dir, name))
        return { file, bytes: (await file.stat()).size, type }
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

/** SECURITY: only names of this shape reach the file system; a path from a request never does. */
function typeOf(name: string): ImageType | undefined {
  const extension = /^[0-9a-f]{64}\.([a-z]+)$/.exec(name)?.[1]
  // The keys of the table are its type.
  return (Object.keys(EXTENSIONS) as ImageType[]).find((type) => EXTENSIONS[type] === extension)
}
