// What makes two image requests the same work, so that they meet in one replica's memory (G2).

import { DEFAULT_IMAGE_QUALITY } from '@portico/shared/wire/constants.ts'

/** url + width + quality; both spellings of the parameters are one. */
export function imageKey(search: string): string {
  const query = new URLSearchParams(search)
  const width = query.get('w') ?? query.get('width') ?? ''
  const quality = query.get('q') ?? query.get('quality') ?? DEFAULT_IMAGE_QUALITY
  return `${width} ${quality} ${query.get('url') ?? ''}`
}
