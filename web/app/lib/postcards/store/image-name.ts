// Names of images: made of their content, so that two cards with the same image share it.

import { createHash } from 'node:crypto'
import type { ImageType } from '../../postcard-image/read-bytes.ts'

const EXTENSIONS: Readonly<Record<ImageType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
}

export function imageName(bytes: Buffer, type: ImageType): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${EXTENSIONS[type]}`
}

/** SECURITY: only names of this shape reach a file system or a database; a path from a request never does. */
export function imageTypeOf(name: string): ImageType | undefined {
  const extension = /^[0-9a-f]{64}\.([a-z]+)$/.exec(name)?.[1]
  // The keys of the table are its type.
  return (Object.keys(EXTENSIONS) as ImageType[]).find((type) => EXTENSIONS[type] === extension)
}
