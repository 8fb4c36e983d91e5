// Imported images under development: the URLs that a build would give them, and the file behind each URL.

import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { mediaTypeOf } from '../manifest/media-types.ts'

export type DevImageFiles = ReturnType<typeof createDevImages>

export function createDevImages() {
  const files = new Map<string, string>()
  let base = ''
  return {
    setBasePath(basePath: string): void {
      base = basePath
    },
    urlOf(fileName: string, file: string): string {
      // Earlier names of the file contain the hash of earlier bytes.
      for (const [name, known] of files) if (known === file && name !== fileName) files.delete(name)
      files.set(fileName, file)
      return staticUrl(base, fileName)
    },
    /** Path and media type of the file behind a hashed name. */
    find(fileName: string): { file: string; type: string } | undefined {
      const file = files.get(fileName)
      return file === undefined ? undefined : { file, type: mediaTypeOf(fileName) }
    },
  }
}
