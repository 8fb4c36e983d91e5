// Detects the type of an image by its bytes, never by the sender's Content-Type (I3), and reads its size and number of
// frames from the headers. Decodes nothing, and ends for any bytes, because every step moves forward. The type is
// decided by more than the first bytes where a format has more: two letters of a text are not yet a bitmap. What is
// refused, passed through or decoded is left to make/.

/** The size of the canvas, if the header contains it; the decoder decides the final size. */
export interface Size {
  width?: number
  height?: number
}

/** Walks the segments to the frame header (ITU T.81 section B.2.2). */
function jpegSize(bytes: Buffer): Size {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return {}
    const marker = bytes[at + 1]!
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (marker === 0xda || marker === 0xd9) return {}
    const hasLength = marker !== 0x01 && !(marker >= 0xd0 && marker <= 0xd8)
    at += 2 + (hasLength ? bytes.readUInt16BE(at + 2) : 0)
  }
  return {}
}

/** Brands and the first `ispe` property (AVIF 1.1 section 6.2); undefined for other types. */
function avifFacts(bytes: Buffer): (Size & { frames: number }) | undefined {
  const brands = brandsOf(bytes)
  if (!brands?.includes('avif') && !brands?.includes('avis')) return undefined
  // The major brand `avis` is an image sequence, for which any number above 1 is enough.
  return { frames: brands[0] === 'avis' ? 2 : 1, ...spatialSize(bytes) }
}

/** The brands of a file type box (ISO/IEC 14496-12 section 4.3), the major one first; undefined for other files. */
function brandsOf(bytes: Buffer): string[] | undefined {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return undefined
  const box = bytes.readUInt32BE(0)
  // SECURITY: a text whose fifth byte begins `ftyp` has no length that is possible.
  if (box < 16 || box > bytes.length) return undefined
  const brands = [bytes.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= Math.min(box, 256); at += 4) brands.push(bytes.toString('latin1', at, at + 4))
  return brands
}

/** The first `ispe` property of a file in boxes. */
function spatialSize(bytes: Buffer): Size {
  const at = bytes.subarray(0, 4096).indexOf('ispe', 0, 'latin1')
  if (at < 0 || at + 16 > bytes.length) return {}
  return { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
}

type SourceType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/gif'
  | 'image/avif'
  | 'image/tiff'
  | 'image/svg+xml'
  | UndecodedType

export interface Sniffed extends Size {
  type: SourceType
  /** 1 unless the image is animated. */
  frames: number
}

/** Undefined when the bytes are not an image of a known type. */
export function sniffType(bytes: Buffer): Sniffed | undefined {
  if (startsWith(bytes, 'ffd8ff')) return { type: 'image/jpeg', frames: 1, ...jpegSize(bytes) }
  if (startsWith(bytes, '89504e470d0a1a0a')) return { type: 'image/png', ...pngFacts(bytes) }
  const head = bytes.toString('latin1', 0, 12)
  if (/^GIF8[79]a/.test(head)) return { type: 'image/gif', ...gifFacts(bytes) }
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return { type: 'image/webp', ...webpFacts(bytes) }
  const avif = avifFacts(bytes)
  if (avif) return { type: 'image/avif', ...avif }
  const tiff = tiffFacts(bytes)
  if (tiff) return { type: 'image/tiff', frames: 1, ...tiff }
  const undecoded = sniffUndecoded(bytes)
  if (undecoded) return { frames: 1, ...undecoded }
  return isSvg(bytes) ? { type: 'image/svg+xml', frames: 1, ...svgSize(bytes) } : undefined
}

function startsWith(bytes: Buffer, hex: string): boolean {
  return bytes.subarray(0, hex.length / 2).toString('hex') === hex
}

interface AnimationFacts extends Size {
  frames: number
}

/** GIF 89a sections 18 to 26: blocks after the screen descriptor and its colour table. */
function gifFacts(bytes: Buffer): AnimationFacts {
  if (bytes.length < 13) return { frames: 1 }
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  let at = 13 + colourTableBytes(bytes[10]!)
  let frames = 0
  while (at < bytes.length) {
    const block = bytes[at]
    if (block === 0x2c && at + 10 < bytes.length) {
      frames++
      at = skipSubBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9]!))
    } else if (block === 0x21) at = skipSubBlocks(bytes, at + 2)
    else break
  }
  return { ...size, frames: Math.max(1, frames) }
}

function colourTableBytes(packed: number): number {
  return packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0
}

function skipSubBlocks(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1
  return at + 1
}

/** PNG third edition section 11.3.6: acTL precedes the first IDAT and contains the number of frames. */
function pngFacts(bytes: Buffer): AnimationFacts {
  if (bytes.length < 24) return { frames: 1 }
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT') break
    if (name === 'acTL') return { ...size, frames: Math.max(1, bytes.readUInt32BE(at + 8)) }
    at += 12 + length
  }
  return { ...size, frames: 1 }
}

/** RFC 9649 section 2: an extended file contains its canvas size and an animation flag; frames are ANMF chunks. */
function webpFacts(bytes: Buffer): AnimationFacts {
  const first = bytes.toString('latin1', 12, 16)
  if (first === 'VP8X' && bytes.length >= 30) {
    const size = { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    return { ...size, frames: bytes[20]! & 0x02 ? Math.max(2, countFrames(bytes)) : 1 }
  }
  if (first === 'VP8 ' && bytes.length >= 30)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, frames: 1 }
  if (first === 'VP8L' && bytes.length >= 25) {
    const packed = bytes.readUInt32LE(21)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1, frames: 1 }
  }
  return { frames: 1 }
}

function countFrames(bytes: Buffer): number {
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') frames++
    at += 8 + length + (length & 1)
  }
  return frames
}

const WIDTH_TAG = 256
const HEIGHT_TAG = 257
/** Type of a value of two bytes; every other integer type has four or eight. */
const SHORT = 3
/** Entries that are read: tags are sorted, and those of the size are among the first. */
const MOST_ENTRIES = 32

/** SECURITY: bytes without a size are no TIFF, because the memory for their pixels could not be estimated. */
function tiffFacts(bytes: Buffer): Required<Size> | undefined {
  const isLittle = bytes.toString('latin1', 0, 2) === 'II'
  if ((!isLittle && bytes.toString('latin1', 0, 2) !== 'MM') || bytes.length < 8) return undefined
  const read = (at: number, width: number) => {
    if (at < 0 || at + width > bytes.length) return Number.NaN
    return isLittle ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width)
  }
  const version = read(2, 2)
  if (version !== 42 && version !== 43) return undefined
  // Addresses of BigTIFF have eight bytes; of a file that fits into memory two of them are zero.
  const long = (at: number) => read(isLittle ? at : at + 2, 6)
  const isBig = version === 43
  const directory = isBig ? long(8) : read(4, 4)
  const [countBytes, entryBytes, valueAt] = isBig ? [8, 20, 12] : [2, 12, 8]
  const count = Math.min(isBig ? long(directory) : read(directory, 2), MOST_ENTRIES)
  const size = { width: 0, height: 0 }
  for (let index = 0; index < count; index++) {
    const entry = directory + countBytes + index * entryBytes
    const tag = read(entry, 2)
    const value = read(entry + valueAt, read(entry + 2, 2) === SHORT ? 2 : 4)
    if (Number.isNaN(value)) break
    if (tag === WIDTH_TAG) size.width = value
    if (tag === HEIGHT_TAG) size.height = value
  }
  return size.width > 0 && size.height > 0 ? size : undefined
}

const LOOK_AT = 4096

/** Whether the text's first element is `<svg`: after a byte order mark, XML declaration, comments and doctype. */
function isSvg(bytes: Buffer): boolean {
  let text = bytes.toString('utf8', 0, LOOK_AT).replace(/^\uFEFF/, '')
  for (;;) {
    text = text.trimStart()
    const end = text.startsWith('<?')
      ? text.indexOf('?>')
      : text.startsWith('<!--')
        ? text.indexOf('-->')
        : /^<!doctype\s+svg/i.test(text)
          ? text.indexOf('>')
          : undefined
    if (end === undefined) return /^<svg[\s>/]/.test(text)
    if (end < 0) return false
    text = text.slice(text.indexOf('>', end) + 1)
  }
}

/** The size of the root element in pixels, else the size of its view box. */
function svgSize(bytes: Buffer): Size {
  const root = /<svg[^>]*>/.exec(bytes.toString('utf8', 0, LOOK_AT))?.[0]
  if (!root) return {}
  const read = (name: string) => Number(new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`).exec(root)?.[1])
  const width = read('width')
  const height = read('height')
  if (width > 0 && height > 0) return { width: Math.round(width), height: Math.round(height) }
  const box = /\sviewBox=["'][-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)["']/.exec(root)
  const [boxWidth, boxHeight] = [Number(box?.[1]), Number(box?.[2])]
  return boxWidth > 0 && boxHeight > 0 ? { width: Math.round(boxWidth), height: Math.round(boxHeight) } : {}
}

const UNDECODED_TYPES = ['image/x-icon', 'image/bmp', 'image/x-icns', 'image/jxl', 'image/heic'] as const
export type UndecodedType = (typeof UNDECODED_TYPES)[number]

export function isUndecodedType(type: string): type is UndecodedType {
  return (UNDECODED_TYPES as readonly string[]).includes(type)
}

/** Undefined when the bytes are of none of these types. */
function sniffUndecoded(bytes: Buffer): ({ type: UndecodedType } & Size) | undefined {
  const icon = icoSize(bytes)
  if (icon) return { type: 'image/x-icon', ...icon }
  const bitmap = bmpSize(bytes)
  if (bitmap) return { type: 'image/bmp', ...bitmap }
  if (isIcns(bytes)) return { type: 'image/x-icns' }
  if (isJxl(bytes)) return { type: 'image/jxl' }
  return isHeic(bytes) ? { type: 'image/heic', ...spatialSize(bytes) } : undefined
}

/** A directory of icons, each inside of the file; the size is that of the largest. */
function icoSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 22 || bytes.readUInt32BE(0) !== 0x00_00_01_00) return undefined
  const count = bytes.readUInt16LE(4)
  const directoryEnd = 6 + count * 16
  if (count === 0 || directoryEnd > bytes.length) return undefined
  const size = { width: 0, height: 0 }
  for (let at = 6; at < directoryEnd; at += 16) {
    const [length, offset] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)]
    if (length === 0 || offset < directoryEnd || offset + length > bytes.length) return undefined
    // A zero means 256.
    const [width, height] = [bytes[at]! || 256, bytes[at + 1]! || 256]
    if (width * height > size.width * size.height) Object.assign(size, { width, height })
  }
  return size
}

/** Lengths of the second header, by version. */
const BMP_HEADERS: ReadonlySet<number> = new Set([12, 16, 40, 52, 56, 64, 108, 124])

function bmpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 26 || bytes.toString('latin1', 0, 2) !== 'BM') return undefined
  const header = bytes.readUInt32LE(14)
  const pixelsAt = bytes.readUInt32LE(10)
  if (!BMP_HEADERS.has(header) || pixelsAt < 14 + header || pixelsAt > bytes.length) return undefined
  if (header === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
  // A negative height means rows from top to bottom.
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) }
}

/** The head has the length of the whole file. */
function isIcns(bytes: Buffer): boolean {
  return bytes.length >= 16 && bytes.toString('latin1', 0, 4) === 'icns' && bytes.readUInt32BE(4) === bytes.length
}

/** A bare codestream, or the signature box of a container (ISO/IEC 18181-2). */
function isJxl(bytes: Buffer): boolean {
  return bytes.subarray(0, 2).equals(JXL_CODESTREAM) || bytes.subarray(0, 12).equals(JXL_CONTAINER)
}
const JXL_CODESTREAM = Buffer.from('ff0a', 'hex')
const JXL_CONTAINER = Buffer.from('0000000c4a584c200d0a870a', 'hex')

/** Brands of images and sequences that HEVC encodes (ISO/IEC 23008-12 annex B). */
function isHeic(bytes: Buffer): boolean {
  return brandsOf(bytes)?.some((brand) => /^he(ic|ix|im|is|vc|vx|vm|vs)$/.test(brand)) === true
}
