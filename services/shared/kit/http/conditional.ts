// Entity tags and conditional requests (RFC 9110 sections 8.8.3 and 13.1). No response has Last-Modified, so a date in
// If-Modified-Since or If-Range has no date to be compared with.

import { createHash } from 'node:crypto'
import type { Encoding } from '../../wire/encodings.ts'

/** The strong tag of a body, equal on every replica that sends these bytes. */
export function entityTag(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

/**
 * The tag of a compressed form: `"abc"` becomes `"abc~br"` for bytes that every replica sends, and `W/"abc~br"` for
 * bytes that each replica compresses itself. A weak tag covers all forms.
 */
export function formTag(etag: string, encoding: Encoding, strength: 'strong' | 'weak'): string {
  if (!etag.startsWith('"')) return etag
  return `${strength === 'weak' ? 'W/' : ''}${etag.slice(0, -1)}~${encoding}"`
}

/** Replaces weak tags of compressed forms in a list by the tag of the plain form, which the upstream knows. */
export function plainTags(list: string): string {
  return list.includes('~') ? list.replace(/W\/("[^"]*)~(?:br|zstd|gzip)"/g, '$1"') : list
}

/**
 * The tag of the 304 response; undefined when the client needs the body. Weak comparison (section 13.1.2). A client
 * with a weak compressed form gets the tag of that form (RFC 9111 section 4.3.4).
 */
export function notModifiedTag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch.trim() === '*') return etag
  const opaque = etag.replace(/^W\//, '')
  // A tag may contain commas.
  for (const [listed, bare] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) {
    if (bare === opaque) return etag
    if (plainTags(listed) === opaque) return listed
  }
  return undefined
}

/** Whether a range may be sent: If-Range is absent or has this strong tag (section 13.1.5). */
export function fitsIfRange(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || (ifRange === etag && etag.startsWith('"'))
}
