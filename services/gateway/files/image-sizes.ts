// Widths and qualities of images that builds of the last seven days allow (I1, G3), as one file in the store of published
// files. The images service has no access to the store: it reads the file through the gateway's second listener.

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { type ListedImageSizes, parseImageSizes } from '@portico/shared/wire/image-sources.ts'
import { type FileStore, type OldBuilds, PUBLISHED_SECONDS, type PublishedFile } from './old-builds.ts'

/** No hash of a path has this length. */
const NAME = 'image-sizes'
/** Different lists of sizes: builds with equal settings share one. */
const MOST_LISTS = 20

type ImageSizeSettings = Pick<ImageSettings, 'deviceSizes' | 'imageSizes' | 'qualities'>

export const findImageSizes = (oldBuilds: OldBuilds) => oldBuilds.find('public', NAME)

/**
 * Adds the sizes of a build for seven days from now. Two gateways of different builds that do so in the same moment may
 * lose the sizes of one until that gateway publishes again.
 */
export async function publishImageSizes(
  store: FileStore,
  { deviceSizes, imageSizes, qualities }: ImageSizeSettings,
  now: () => number = Date.now,
): Promise<void> {
  const own = { widths: [...imageSizes, ...deviceSizes], qualities, until: now() + PUBLISHED_SECONDS * 1000 }
  const listed = await readListed(store)
  const others = listed.filter((each) => each.until > now() && !isEqual(each, own))
  const bytes = Buffer.from(JSON.stringify([own, ...others].slice(0, MOST_LISTS)))
  const entry = { size: bytes.length, type: 'application/json', etag: entityTag(bytes), encodings: {} }
  const file: PublishedFile = { folder: 'public', name: NAME, entry, read: async () => bytes }
  await store.write(file)
}

async function readListed(store: OldBuilds): Promise<ListedImageSizes[]> {
  const bytes = await (await findImageSizes(store))?.open('identity')
  if (bytes?.kind !== 'memory') return []
  try {
    return parseImageSizes(bytes.bytes.toString())
  } catch {
    // Another version of Portico wrote the file.
    return []
  }
}

function isEqual(a: ListedImageSizes, b: ListedImageSizes): boolean {
  return String(a.widths) === String(b.widths) && String(a.qualities) === String(b.qualities)
}
