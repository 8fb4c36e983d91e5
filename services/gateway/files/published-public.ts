// The public files of another build, for a gateway that serves in its place (O12): those that the build published, and no file
// of the gateway that only has the same name.

import { join } from 'node:path'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { type BuildFiles, createBuildFiles } from './build-files.ts'
import { keptPublicName } from './kept-public.ts'
import type { OldBuilds } from './old-builds.ts'

interface PublishedPublicDeps {
  manifest: Pick<Manifest, 'basePath' | 'publicFiles'>
  /** The build of the gateway. */
  own: AppBuild
  oldBuilds: OldBuilds | undefined
}

/** A file that the store does not have, as one that a rule of its build guards, is 503 until a gateway of its build runs. */
export function createPublishedPublic({ manifest, own, oldBuilds }: PublishedPublicDeps): BuildFiles {
  const { basePath, publicFiles } = manifest
  const index = new Map(Object.entries(publicFiles))
  const ownFiles = createBuildFiles(join(own.dir, 'public'), own.manifest.publicFiles)
  return {
    find(name) {
      const entry = index.get(name)
      if (!entry) return undefined
      // The same bytes: the tag is a hash of the content.
      const same = ownFiles.find(name)
      if (same?.entry.etag === entry.etag && same.entry.size === entry.size)
        return { ...same, entry: { ...entry, encodings: same.entry.encodings } }
      return {
        entry: { ...entry, encodings: {} },
        async open() {
          const kept = await oldBuilds?.find('public', keptPublicName(basePath, name)).catch(() => undefined)
          // SECURITY: the name says nothing of the content; another build may have published the last file of the name.
          if (kept?.entry.etag !== entry.etag) throw new ServiceError('overloaded', { headers: { 'retry-after': '1' } })
          return kept.open('identity')
        },
      }
    },
  }
}
