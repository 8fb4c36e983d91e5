// Reads the size of a TIFF from its first directory (TIFF 6.0 section 2, and BigTIFF), which is the image that is decoded.

import type { Size } from './sniff-size.ts'

const WIDTH_TAG = 256
const HEIGHT_TAG = 257
/** Type of a value of two bytes; every other integer type has four or eight. */
const SHORT = 3
/** Entries that are read: tags are sorted, and those of the size are among the first. */
const MOST_ENTRIES = 32

/** SECURITY: bytes without a size are no TIFF, because the memory for their pixels could not be estimated. */
export function tiffFacts(bytes: Buffer): Required<Size> | undefined {
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
