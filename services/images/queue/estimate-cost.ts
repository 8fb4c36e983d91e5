// Estimates the memory of a job before the job runs (I7).

import type { TargetFormat } from '../cache/variant.ts'
import type { OutputFormat } from '../encode/encoder-messages.ts'
import type { Size } from '../source/sniff-size.ts'

/** Bytes of memory per output pixel during encoding, measured with one 3840 px image per format. */
const BYTES_PER_PIXEL: Record<OutputFormat, number> = { avif: 34, webp: 7, jpeg: 6, png: 6 }
/** Bytes of memory per source pixel during decoding, for decoders that cannot shrink while they decode. */
const BYTES_PER_SOURCE_PIXEL = 4

/** Returns bytes. A size that the header does not contain is assumed to be 4:3 at the requested width. */
export function estimateCost(target: TargetFormat, width: number, size: Size): number {
  const sourceWidth = size.width ?? width
  const sourceHeight = size.height ?? Math.round((sourceWidth * 3) / 4)
  const outWidth = Math.min(width, sourceWidth)
  const outPixels = (outWidth * outWidth * sourceHeight) / Math.max(1, sourceWidth)
  const format = target === 'own' || target === 'facts' ? 'jpeg' : target
  return Math.round(outPixels * BYTES_PER_PIXEL[format] + sourceWidth * sourceHeight * BYTES_PER_SOURCE_PIXEL)
}
