// Detects the type of an image by its bytes, never by the sender's Content-Type (I3). Reads headers, decodes nothing.

import { gifFacts, pngFacts, webpFacts } from './sniff-animation.ts'
import { avifFacts, jpegSize, type Size } from './sniff-size.ts'
import { isSvg, svgSize } from './sniff-svg.ts'
import { tiffFacts } from './sniff-tiff.ts'
import { sniffUndecoded, type UndecodedType } from './sniff-undecoded.ts'

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
