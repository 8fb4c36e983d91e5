// The affinity key of an image request: requests for the same image are sent to one replica, which keeps the image in
// memory (G2).

import { DEFAULT_IMAGE_QUALITY } from '@portico/shared/wire/constants.ts'

/** url + width + quality; both spellings of a parameter give one key. */
export function imageKey(search: string): string {
  const query = new URLSearchParams(search)
  const width = query.get('w') ?? query.get('width') ?? ''
  const quality = query.get('q') ?? query.get('quality') ?? DEFAULT_IMAGE_QUALITY
  return `${width} ${quality} ${query.get('url') ?? ''}`
}
