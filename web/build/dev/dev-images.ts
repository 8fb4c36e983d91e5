// Imported pictures under development: the addresses that a build would give them, kept with the files they stand for.

import { staticUrl } from '../../../services/shared/wire/urls.ts'
import { typeOf } from '../manifest/files.ts'
import type { DevPictures } from '../transforms/images.ts'

export interface DevPictureFiles extends DevPictures {
  setBasePath(basePath: string): void
  /** Path and media type of a hashed name. */
  find(fileName: string): { file: string; type: string } | undefined
}

export function createDevPictures(): DevPictureFiles {
  const files = new Map<string, string>()
  let base = ''
  return {
    setBasePath(basePath) {
      base = basePath
    },
    urlOf(fileName, file) {
      // Its names of before would stand for bytes that they do not name.
      for (const [name, known] of files) if (known === file && name !== fileName) files.delete(name)
      files.set(fileName, file)
      return staticUrl(base, fileName)
    },
    find(fileName) {
      const file = files.get(fileName)
      return file === undefined ? undefined : { file, type: typeOf(fileName) }
    },
  }
}
