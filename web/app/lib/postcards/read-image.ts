// From an uploaded file to the stored image: upright, no larger than pages show it, without metadata. SECURITY: cameras
// write the location into their files; readers of a postcard must not learn where its sender lives.

import sharp from 'sharp'

/** A WebP file. */
export interface PostcardImage {
  bytes: Buffer
  width: number
  height: number
}

/** SECURITY: the bytes decide, never the name or the type that the browser sends; other decoders are never reached. */
const KINDS: readonly ((head: string) => boolean)[] = [
  (head) => head.startsWith('\xff\xd8\xff'),
  (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
  (head) => head.startsWith('RIFF') && head.endsWith('WEBP'),
]
/** SECURITY: a file of some kilobytes may unpack to gigabytes. */
const LIMIT_PIXELS = 50_000_000
/** SECURITY: one file is read after the other, each with up to 200 MB for a moment; more than these are refused. */
const MOST_WAITING = 20
const LONGEST_SIDE = 2048
let waiting = 0
let turn: Promise<unknown> = Promise.resolve()

type ReadImage = { image: PostcardImage } | { refusal: string }

/** Reads a file. `refusal` is a sentence for its sender. */
export async function readImage(file: Buffer): Promise<ReadImage> {
  const head = file.toString('latin1', 0, 12)
  if (!KINDS.some((is) => is(head)))
    return { refusal: 'This is no picture that postcards take: please choose a JPEG, PNG or WebP file.' }
  if (waiting >= MOST_WAITING) return { refusal: 'Many pictures arrive just now: please send yours again in a moment.' }
  waiting++
  const read = turn.then(() => drawAgain(file)).finally(() => waiting--)
  turn = read
  return read
}

async function drawAgain(file: Buffer): Promise<ReadImage> {
  try {
    const { width, height, pages = 1 } = await sharp(file, { limitInputPixels: false }).metadata()
    if (pages > 1) return { refusal: 'Postcards do not move: please choose a picture without animation.' }
    if (width * height > LIMIT_PIXELS)
      return { refusal: `This picture has ${width} × ${height} dots; a postcard takes 50 million at most.` }
    const { data, info } = await sharp(file, { limitInputPixels: LIMIT_PIXELS })
      .autoOrient()
      .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 90 })
      .toBuffer({ resolveWithObject: true })
    return { image: { bytes: data, width: info.width, height: info.height } }
  } catch {
    return { refusal: 'This picture is not complete or not in order. Please choose another one.' }
  }
}
