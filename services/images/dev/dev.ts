// Images under development: creates another handler when the folder's settings have changed since the last request, and
// purges the variants of public images that have changed. The caller passes the latest build; nothing of production is
// changed.

import type { RequestListener } from 'node:http'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { type Purges, parsePurgeBody } from '../cache/cache.ts'

interface ImagesHandler {
  handler: RequestListener
  close: () => void
}

/** `current` returns the latest build of the app folder, `create` a handler for the settings of a manifest. */
export function followBuild(
  current: () => AppBuild,
  purges: Pick<Purges, 'purge'>,
  create: (manifest: Manifest) => ImagesHandler,
): ImagesHandler {
  const keyOf = ({ images, basePath, semantics, i18n, middleware }: Manifest) =>
    JSON.stringify([images, basePath, semantics, i18n, middleware])
  let { manifest } = current()
  let made = create(manifest)
  let purging: Promise<unknown> = Promise.resolve()
  const follow = (next: Manifest) => {
    const changed = Object.entries(manifest.publicFiles).filter(
      ([path, { etag }]) => next.publicFiles[path]?.etag !== etag,
    )
    purging = purging.then(() => Promise.all(changed.map(([path]) => purgePublic(purges, next.basePath, path))))
    if (keyOf(next) !== keyOf(manifest)) {
      made.close()
      made = create(next)
    }
    manifest = next
  }
  return {
    handler(request, response) {
      const next = current().manifest
      if (next !== manifest) follow(next)
      void purging.then(() => made.handler(request, response))
    },
    close: () => made.close(),
  }
}

async function purgePublic(purges: Pick<Purges, 'purge'>, basePath: string, path: string): Promise<void> {
  const target = parsePurgeBody({ source: basePath + addressOf(path) }, basePath)
  // After a failed purge the store serves old images for a minute, which need not stop an author.
  if (!('rule' in target)) await purges.purge(target).catch(() => {})
}

/** A file's path as pages write the path. `encodeURI` does not encode a question mark or hash of a name. */
function addressOf(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent)
}
