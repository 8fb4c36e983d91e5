// What the service serves: the image settings of a site, and its mode.

import type { ImageSettings, Manifest } from '@portico/shared/wire/build-output.ts'

export interface ServedSettings extends ImageSettings {
  /** Compatibility mode (X): types that the service does not decode are passed through. */
  isNext: boolean
}

export function servedSettings({ images, isNext }: Pick<Manifest, 'images' | 'isNext'>): ServedSettings {
  return { ...images, isNext: isNext === true }
}
