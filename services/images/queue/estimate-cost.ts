// Estimates the memory of a job before the job runs (I7).

import type { TargetFormat } from '../cache/variant.ts'
import type { OutputFormat } from '../encode/encoder-messages.ts'
import type { Size } from '../source/sniff-size.ts'
import type { Sniffed } from '../source/sniff-type.ts'

/** Bytes of memory per output pixel during encoding, measured with one 3840 px image per format. */
const BYTES_PER_PIXEL: Record<OutputFormat, number> = { avif: 34, webp: 7, jpeg: 6, png: 6 }
/** Bytes of memory per source pixel during decoding, for decoders that cannot shrink while they decode. */
const BYTES_PER_SOURCE_PIXEL = 4
/** Of a TIFF with four channels of 32 bits, of which a rotation holds all. */
const BYTES_PER_TIFF_PIXEL = 16

/** Returns bytes. A size that the header does not contain is assumed to be 4:3 at the requested width. */
export function estimateCost(target: TargetFormat, width: number, size: Size & Partial<Pick<Sniffed, 'type'>>): number {
  const sourceWidth = size.width ?? width
  const sourceHeight = size.height ?? Math.round((sourceWidth * 3) / 4)
  const outWidth = Math.min(width, sourceWidth)
  const outPixels = (outWidth * outWidth * sourceHeight) / Math.max(1, sourceWidth)
  const format = target === 'own' || target === 'facts' ? 'jpeg' : target
  const sourceBytes = size.type === 'image/tiff' ? BYTES_PER_TIFF_PIXEL : BYTES_PER_SOURCE_PIXEL
  return Math.round(outPixels * BYTES_PER_PIXEL[format] + sourceWidth * sourceHeight * sourceBytes)
}
