// Reads a PNG by its chunks (W3C PNG section 5): finds its size, and leaves out texts, dates and Exif. Decodes nothing.

import { ImageRefused, MOVING, NOT_WHOLE, PARTS_LIMIT, type ReadBytes } from './read-bytes.ts'

/** The chunks that pixels or their colours depend on. */
const KEPT = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD pHYs'.split(' '))

/** Throws ImageRefused for what is cut short, damaged or animated. */
export function readPng(bytes: Buffer): ReadBytes {
  const kept: Buffer[] = [bytes.subarray(0, 8)]
  let size: { width: number; height: number } | undefined
  for (let at = 8, parts = 0; ; parts++) {
    if (at + 12 > bytes.length || parts === PARTS_LIMIT) throw new ImageRefused(NOT_WHOLE)
    const end = at + 12 + bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (end > bytes.length || (size === undefined) !== (name === 'IHDR')) throw new ImageRefused(NOT_WHOLE)
    if (name === 'acTL') throw new ImageRefused(MOVING)
    if (name === 'IHDR') size = readHeader(bytes.subarray(at + 8, end - 4))
    if (KEPT.has(name)) kept.push(bytes.subarray(at, end))
    at = end
    if (name === 'IEND' && size) return { ...size, kept }
  }
}

function readHeader(header: Buffer): { width: number; height: number } {
  if (header.length !== 13) throw new ImageRefused(NOT_WHOLE)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  if (width === 0 || height === 0) throw new ImageRefused(NOT_WHOLE)
  return { width, height }
}
