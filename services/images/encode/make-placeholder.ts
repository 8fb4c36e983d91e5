// The blur placeholder of an image: a WebP of a few pixels that a browser scales up (I8).

import type { OpenedSource } from './read-source.ts'

/** Longest side in pixels: enough to tell colours apart, small enough for a data URL in HTML. */
const SIDE = 8
/** Coding errors are invisible in a blur. */
const QUALITY = 60

/** About 100 bytes of WebP. */
export async function makePlaceholder(source: OpenedSource): Promise<Buffer> {
  return source
    .open()
    .autoOrient()
    .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .webp({ quality: QUALITY, effort: 0 })
    .toBuffer()
}
