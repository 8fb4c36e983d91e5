// Reads sizes of JPEG and AVIF from their headers, to estimate the cost of work.

/** Of the canvas, if the header contains the size; the decoder decides the final size. */
export interface Size {
  width?: number
  height?: number
}

/** Walks the segments to the frame header (ITU T.81 section B.2.2). */
export function jpegSize(bytes: Buffer): Size {
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
export function avifFacts(bytes: Buffer): (Size & { frames: number }) | undefined {
  const brands = brandsOf(bytes)
  if (!brands?.includes('avif') && !brands?.includes('avis')) return undefined
  // The major brand `avis` is an image sequence, for which any number above 1 is enough.
  return { frames: brands[0] === 'avis' ? 2 : 1, ...spatialSize(bytes) }
}

/** The brands of a file type box (ISO/IEC 14496-12 section 4.3), the major one first; undefined for other files. */
export function brandsOf(bytes: Buffer): string[] | undefined {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return undefined
  const box = bytes.readUInt32BE(0)
  // SECURITY: a text whose fifth byte begins `ftyp` has no length that is possible.
  if (box < 16 || box > bytes.length) return undefined
  const brands = [bytes.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= Math.min(box, 256); at += 4) brands.push(bytes.toString('latin1', at, at + 4))
  return brands
}

/** The first `ispe` property of a file in boxes. */
export function spatialSize(bytes: Buffer): Size {
  const at = bytes.subarray(0, 4096).indexOf('ispe', 0, 'latin1')
  if (at < 0 || at + 16 > bytes.length) return {}
  return { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
}
