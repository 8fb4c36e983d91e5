// From an uploaded file to the stored image. The bytes decide the type, never the name or the type that the browser
// sends; the images service decodes, in processes that can be killed.

import { readJpeg } from './jpeg.ts'
import { readPng } from './png.ts'
import { ImageRefused, type ImageType, type ReadBytes } from './read-bytes.ts'
import { readWebp } from './webp.ts'

export interface ReadImage {
  type: ImageType
  /** As shown: the sides of a rotated image are exchanged. */
  width: number
  height: number
  /**
   * The image without metadata. SECURITY: cameras write the location into their files; readers of a postcard must
   * not learn where its sender lives. Bytes behind the image's end are removed, too.
   */
  bytes: Buffer
}

/** SECURITY: a file of some kilobytes may unpack to gigabytes; the images service takes no larger ones either. */
const IMAGE_LIMIT_PIXELS = 50_000_000

const KINDS: readonly { type: ImageType; is: (head: string) => boolean; read: (bytes: Buffer) => ReadBytes }[] = [
  { type: 'image/jpeg', is: (head) => head.startsWith('\xff\xd8\xff'), read: readJpeg },
  { type: 'image/png', is: (head) => head.startsWith('\x89PNG\r\n\x1a\n'), read: readPng },
  { type: 'image/webp', is: (head) => head.startsWith('RIFF') && head.endsWith('WEBP'), read: readWebp },
]

/** Reads an image. `refusal` is a sentence for its sender. */
export function readImage(bytes: Buffer): { image: ReadImage } | { refusal: string } {
  const head = bytes.toString('latin1', 0, 12)
  const kind = KINDS.find((each) => each.is(head))
  if (!kind) return { refusal: 'This is no picture that postcards take: please choose a JPEG, PNG or WebP file.' }
  try {
    const { width, height, kept } = kind.read(bytes)
    if (width * height > IMAGE_LIMIT_PIXELS)
      return { refusal: `This picture has ${width} × ${height} dots; a postcard takes 50 million at most.` }
    return { image: { type: kind.type, width, height, bytes: Buffer.concat(kept) } }
  } catch (error) {
    if (error instanceof ImageRefused) return { refusal: error.message }
    throw error
  }
}
