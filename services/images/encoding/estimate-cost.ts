// What a job will take of the memory, before it runs (I7).

import type { OutputFormat } from './encoder-messages.ts'

/** Bytes of memory that a pixel of the answer takes while it is encoded: measured with one 3840 px picture each. */
const BYTES_PER_PIXEL: Record<OutputFormat, number> = { avif: 34, webp: 7, jpeg: 6, png: 6 }
/** Bytes that a pixel of the source takes while it is read, for decoders that cannot shrink on the way. */
const BYTES_PER_SOURCE_PIXEL = 4

/** Memory that a job takes. Sizes that the header did not tell are taken as 4:3 at the width asked for. */
export function estimateCost(
  target: OutputFormat | 'own' | 'facts',
  width: number,
  size: { width?: number; height?: number },
): number {
  const sourceWidth = size.width ?? width
  const sourceHeight = size.height ?? Math.round((sourceWidth * 3) / 4)
  const outWidth = Math.min(width, sourceWidth)
  const outPixels = (outWidth * outWidth * sourceHeight) / Math.max(1, sourceWidth)
  const format = target === 'own' || target === 'facts' ? 'jpeg' : target
  return Math.round(outPixels * BYTES_PER_PIXEL[format] + sourceWidth * sourceHeight * BYTES_PER_SOURCE_PIXEL)
}
