// Widths and qualities that other builds of the last seven days allow (I1, G3): an open tab requests the images of its own
// build. The gateway's second listener knows them; it is requested only after a size was refused.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import {
  type ImageSizes,
  imageSizesPath,
  type ListedImageSizes,
  parseImageSizes,
} from '@portico/shared/wire/image-sources.ts'

/** What the gateway reported is used this long. */
const KNOWN_MS = 30_000
const TIMEOUT_MS = 1000

/** All sizes together. Never rejects; the same object while the sizes are the same. */
export type EarlierSizes = () => Promise<ImageSizes>

interface EarlierSizesOptions {
  siteUrl: URL
  basePath: string
  log: Pick<Log, 'warn'>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** All refused requests together send one request in KNOWN_MS. */
export function createEarlierSizes({ siteUrl, basePath, log, now }: EarlierSizesOptions): EarlierSizes {
  const url = new URL(imageSizesPath(basePath), siteUrl)
  let listed: readonly ListedImageSizes[] = []
  let known: ImageSizes = { widths: [], qualities: [] }
  let reading = Promise.resolve()
  let readAt = Number.NEGATIVE_INFINITY

  const read = async () => {
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
      const text = await response.text()
      // Otherwise no build has published yet, or the store is unavailable: what is known remains.
      if (response.ok) listed = parseImageSizes(text)
    } catch (error) {
      log.warn({ event: 'earlier-sizes', error }, 'sizes of images of other builds are unknown')
    }
  }
  return async () => {
    if (now() - readAt >= KNOWN_MS) {
      readAt = now()
      reading = read()
    }
    await reading
    const lists = listed.filter(({ until }) => until > now())
    const all = {
      widths: union(lists.map((each) => each.widths)),
      qualities: union(lists.map((each) => each.qualities)),
    }
    if (JSON.stringify(all) !== JSON.stringify(known)) known = all
    return known
  }
}

function union(lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b)
}
