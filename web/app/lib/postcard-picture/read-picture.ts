// From what a visitor chose to what is kept of it. The bytes decide what it is, never its name or the type that the
// browser claims; decoding is the images service's work, in processes that can be killed.

import { readJpeg } from './jpeg.ts'
import { PictureRefused, type PictureType, type ReadBytes } from './picture.ts'
import { readPng } from './png.ts'
import { readWebp } from './webp.ts'

export interface Picture {
  type: PictureType
  /** As shown: a picture that lies on its side is counted upright. */
  width: number
  height: number
  /**
   * The picture without metadata. SECURITY: cameras write the place into their files; visitors of a postcard must not
   * learn where its sender lives. What stood behind the picture's end is gone, too.
   */
  bytes: Buffer
}

/** SECURITY: a file of some kilobytes may unpack to gigabytes; the images service takes no larger ones either. */
export const PICTURE_LIMIT_PIXELS = 50_000_000

const KINDS: readonly { type: PictureType; is: (head: string) => boolean; read: (bytes: Buffer) => ReadBytes }[] = [
  { type: 'image/jpeg', is: (head) => head.startsWith('\xff\xd8\xff'), read: readJpeg },
  { type: 'image/png', is: (head) => head.startsWith('\x89PNG\r\n\x1a\n'), read: readPng },
  { type: 'image/webp', is: (head) => head.startsWith('RIFF') && head.endsWith('WEBP'), read: readWebp },
]

/** Reads a picture. `refusal` is a sentence for its sender. */
export function readPicture(bytes: Buffer): { picture: Picture } | { refusal: string } {
  const head = bytes.toString('latin1', 0, 12)
  const kind = KINDS.find((each) => each.is(head))
  if (!kind) return { refusal: 'This is no picture that postcards take: please choose a JPEG, PNG or WebP file.' }
  try {
    const { width, height, kept } = kind.read(bytes)
    if (width * height > PICTURE_LIMIT_PIXELS)
      return { refusal: `This picture has ${width} × ${height} dots; a postcard takes 50 million at most.` }
    return { picture: { type: kind.type, width, height, bytes: Buffer.concat(kept) } }
  } catch (error) {
    if (error instanceof PictureRefused) return { refusal: error.message }
    throw error
  }
}
