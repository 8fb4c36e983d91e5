// Image settings for tests: the defaults, with small source images.

import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import type { ServedSettings } from '../config.ts'

/** The defaults with some members replaced. */
export function imageSettings(changes: Partial<ServedSettings> = {}): ServedSettings {
  return { ...DEFAULT_IMAGES, semantics: {}, maximumResponseBody: 10_000_000, ...changes }
}
