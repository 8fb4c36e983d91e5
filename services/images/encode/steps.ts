// The ordered steps from source pixels to the pixels that are encoded. Each step takes and returns a sharp chain;
// libvips runs the whole chain in one pass, so JPEG and WebP sources are shrunk while they are decoded.

import type { Sharp } from 'sharp'
import type { EncodeWork } from './encoder-messages.ts'

/** Longest side that WebP can hold (RFC 9649 section 2.6); AVIF and JPEG hold more. */
const LONGEST_SIDE = 16_383

/** Applies the EXIF orientation; the tag is dropped with all other metadata. */
function orient(image: Sharp): Sharp {
  return image.autoOrient()
}

/** Never wider than requested and never wider than the source (I2). */
function shrink(image: Sharp, { width }: EncodeWork): Sharp {
  return image.resize({ width, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
}

/**
 * Converts wide-gamut, CMYK and grey sources to sRGB by their embedded profile, because responses have no profile (I2).
 */
function toScreenColours(image: Sharp): Sharp {
  return image.toColourspace('srgb')
}

export const STEPS: readonly ((image: Sharp, context: EncodeWork) => Sharp)[] = [orient, shrink, toScreenColours]
