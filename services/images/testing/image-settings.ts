// Image settings for tests: the defaults, with small source images.

import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'

/** The defaults with some members replaced. */
export function imageSettings(changes: Partial<ImageSettings> = {}): ImageSettings {
  return { ...DEFAULT_IMAGES, maximumResponseBody: 10_000_000, ...changes }
}
