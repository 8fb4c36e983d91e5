// Reads a WebP by its chunks (RFC 9649 section 2): finds its size, and leaves out Exif and XMP. Decodes nothing.

import { ImageRefused, MOVING, NOT_WHOLE, PARTS_LIMIT, type ReadBytes } from './read-bytes.ts'

/** Bits of the VP8X chunk that say what else is in the file. */
const HAS_ANIMATION = 0x02
const HAS_XMP = 0x04
const HAS_EXIF = 0x08

const KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP'])

interface Size {
  width: number
  height: number
}

/** Throws ImageRefused for what is cut short, damaged or animated. */
export function readWebp(bytes: Buffer): ReadBytes {
  const riffEnd = 8 + bytes.readUInt32LE(4)
  if (riffEnd > bytes.length) throw new ImageRefused(NOT_WHOLE)
  const chunks: Buffer[] = []
  let canvas: Size | undefined
  let frame: Size | undefined
  for (let at = 12, parts = 0; at + 8 <= riffEnd; parts++) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (at + 8 + length > riffEnd || parts === PARTS_LIMIT) throw new ImageRefused(NOT_WHOLE)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (name === 'VP8X') canvas ??= readCanvas(data)
    if (name === 'VP8 ') frame ??= readLossy(data)
    if (name === 'VP8L') frame ??= readLossless(data)
    if (KEPT.has(name)) {
      // Some encoders leave out the last padding byte.
      const chunk = Buffer.concat([bytes.subarray(at, Math.min(end, riffEnd))], end - at)
      // The file no longer holds what these bits announce.
      if (name === 'VP8X') chunk[8] = chunk[8]! & ~(HAS_XMP | HAS_EXIF)
      chunks.push(chunk)
    }
    at = end
  }
  // SECURITY: the frame is what is decoded, whatever the canvas says of itself; of a still image both agree.
  if (!frame || (canvas && (canvas.width !== frame.width || canvas.height !== frame.height)))
    throw new ImageRefused(NOT_WHOLE)
  const header = Buffer.from(bytes.subarray(0, 12))
  header.writeUInt32LE(4 + chunks.reduce((sum, chunk) => sum + chunk.length, 0), 4)
  return { ...frame, kept: [header, ...chunks] }
}

function readCanvas(data: Buffer): Size {
  if (data.length < 10) throw new ImageRefused(NOT_WHOLE)
  if ((data[0]! & HAS_ANIMATION) !== 0) throw new ImageRefused(MOVING)
  return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }
}

function readLossy(data: Buffer): Size {
  if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) throw new ImageRefused(NOT_WHOLE)
  return checked({ width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff })
}

function readLossless(data: Buffer): Size {
  if (data.length < 5 || data[0] !== 0x2f) throw new ImageRefused(NOT_WHOLE)
  const bits = data.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function checked(size: Size): Size {
  if (size.width === 0 || size.height === 0) throw new ImageRefused(NOT_WHOLE)
  return size
}
