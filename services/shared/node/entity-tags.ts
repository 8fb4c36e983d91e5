// ETags of compressed forms. A form's tag names its encoding and is weak, because each program compresses in its own way;
// the tag of the plain form can be read from it.

import type { Encoding } from './accept-encoding.ts'

const MARKED = /W\/"([^"]*)~(?:br|zstd|gzip)"/g

/** The tag of a compressed form: `"abc"` becomes `W/"abc~br"`. A weak tag stands for all forms already. */
export function compressedTag(etag: string, encoding: Encoding): string {
  return etag.startsWith('"') ? `W/${etag.slice(0, -1)}~${encoding}"` : etag
}

/** A list of tags with those of compressed forms turned into the plain form's. */
export function plainTags(list: string): string {
  return list.includes('~') ? list.replace(MARKED, '"$1"') : list
}

/** The tag in an If-None-Match list that stands for a form of `etag`: its own, unless the visitor holds a compressed one. */
export function heldTag(etag: string, ifNoneMatch: string | undefined): string {
  if (!ifNoneMatch?.includes('~')) return etag
  for (const match of ifNoneMatch.matchAll(MARKED)) if (`"${match[1]}"` === etag) return match[0]
  return etag
}
