// What the service serves: the image settings of a site, and the rules that are not Portico's own.

import type { ImageSettings, Manifest } from '@portico/shared/wire/build-output.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'

export interface ServedSettings extends ImageSettings {
  semantics: Pick<Semantics, 'undecodedImages' | 'unknownImageParameters'>
}

export function servedSettings({ images, semantics }: Pick<Manifest, 'images' | 'semantics'>): ServedSettings {
  return { ...images, semantics }
}
