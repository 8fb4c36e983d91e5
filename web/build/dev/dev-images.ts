// Imported images under development: the URLs that a build would give them, and the file behind each URL.

import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { mediaTypeOf } from '../manifest/media-types.ts'
import type { DevImages } from '../transforms/images.ts'

export interface DevImageFiles extends DevImages {
  setBasePath(basePath: string): void
  /** Path and media type of the file behind a hashed name. */
  find(fileName: string): { file: string; type: string } | undefined
}

export function createDevImages(): DevImageFiles {
  const files = new Map<string, string>()
  let base = ''
  return {
    setBasePath(basePath) {
      base = basePath
    },
    urlOf(fileName, file) {
      // Earlier names of the file contain the hash of earlier bytes.
      for (const [name, known] of files) if (known === file && name !== fileName) files.delete(name)
      files.set(fileName, file)
      return staticUrl(base, fileName)
    },
    find(fileName) {
      const file = files.get(fileName)
      return file === undefined ? undefined : { file, type: mediaTypeOf(fileName) }
    },
  }
}
