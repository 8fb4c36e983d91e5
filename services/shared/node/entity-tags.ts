// ETags of compressed forms. The tag of a compressed form names its encoding and is weak, because programs compress
// differently; the tag of the plain form can be derived from it.

import type { Encoding } from './accept-encoding.ts'

const MARKED = /W\/"([^"]*)~(?:br|zstd|gzip)"/g

/** The tag of a compressed form: `"abc"` becomes `W/"abc~br"`. A weak tag already covers all forms. */
export function compressedTag(etag: string, encoding: Encoding): string {
  return etag.startsWith('"') ? `W/${etag.slice(0, -1)}~${encoding}"` : etag
}

/** Replaces the tags of compressed forms in a list by the tags of their plain forms. */
export function plainTags(list: string): string {
  return list.includes('~') ? list.replace(MARKED, '"$1"') : list
}

/**
 * The tag in an If-None-Match list that matches a form of `etag`: `etag` itself, or that of the client's compressed
 * form.
 */
export function heldTag(etag: string, ifNoneMatch: string | undefined): string {
  if (!ifNoneMatch?.includes('~')) return etag
  for (const match of ifNoneMatch.matchAll(MARKED)) if (`"${match[1]}"` === etag) return match[0]
  return etag
}
