// What the readers of the three kinds of images have in common.

export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp'

/** What one reader finds: the size as the image is shown, and the bytes that are worth keeping, in their order. */
export interface ReadBytes {
  width: number
  height: number
  kept: Buffer[]
}

/** Why an image is rejected, as a sentence for its sender. */
export class ImageRefused extends Error {}

/** SECURITY: segments or chunks of one file. Images have some hundreds; a file of nothing else would take all memory. */
export const PARTS_LIMIT = 10_000

export const NOT_WHOLE = 'This picture is not complete or not in order. Please choose another one.'
export const MOVING = 'Postcards do not move: please choose a picture without animation.'
