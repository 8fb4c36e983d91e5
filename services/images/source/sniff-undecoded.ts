// Recognises the images that no decoder of this service opens and that compatibility mode passes through (I3). The type
// is decided by more than the first bytes where a format has more: two letters of a text are not yet a bitmap.

import { brandsOf, type Size, spatialSize } from './sniff-size.ts'

const UNDECODED_TYPES = ['image/x-icon', 'image/bmp', 'image/x-icns', 'image/jxl', 'image/heic'] as const
export type UndecodedType = (typeof UNDECODED_TYPES)[number]

export function isUndecodedType(type: string): type is UndecodedType {
  return (UNDECODED_TYPES as readonly string[]).includes(type)
}

/** Undefined when the bytes are of none of these types. */
export function sniffUndecoded(bytes: Buffer): ({ type: UndecodedType } & Size) | undefined {
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
