// Encodes pixels in one format, with measured settings.

import type { Sharp } from 'sharp'
import type { EncodeWork, OutputFormat } from './encoder-messages.ts'
import type { OpenedSource } from './read-source.ts'

/** AVIF at a quality lower by this number looks like WebP and JPEG. */
const AVIF_QUALITY_OFFSET = 20

/** Appends the encoder. AVIF and WebP use low effort: the last percents of size cost most of the time. */
export function encodeFormat(image: Sharp, format: OutputFormat, { quality, effort }: EncodeWork): Sharp {
  switch (format) {
    case 'avif':
      return image.avif({
        quality: Math.max(1, quality - AVIF_QUALITY_OFFSET),
        effort: effort.avif,
        chromaSubsampling: '4:2:0',
      })
    case 'webp':
      return image.webp({ quality, effort: effort.webp })
    case 'jpeg':
      return image.jpeg({ quality })
    case 'png':
      // Lossless at every quality: a PNG source means exact pixels.
      return image.png({ compressionLevel: 6 })
    default:
      return format satisfies never
  }
}

/** The source's own format if JPEG or PNG, else PNG with alpha, else JPEG (I2). */
export function ownFormat({ format, hasAlpha }: OpenedSource): OutputFormat {
  return format === 'png' || hasAlpha ? 'png' : 'jpeg'
}
