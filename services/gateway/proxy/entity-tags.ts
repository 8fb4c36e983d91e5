// ETags of answers that the gateway compressed. The tag names the encoding, is weak, and is turned back into the
// upstream's own tag when a visitor asks with it, so that If-None-Match works although the upstream knows one form.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Encoding } from '../accept-encoding.ts'
import { exchangeOf } from '../exchange.ts'

const MARKED = /W\/"([^"]*)~(?:br|zstd|gzip)"/g

/** The tag of the compressed form: `"abc"` becomes `W/"abc~br"`. A weak tag stands for all forms already. */
export function compressedTag(etag: string | undefined, encoding: Encoding): string | undefined {
  if (etag === undefined || !etag.startsWith('"')) return etag
  return `W/${etag.slice(0, -1)}~${encoding}"`
}

/** Gives the upstream its own tags back. */
export function restoreTags(headers: IncomingHttpHeaders): void {
  const given = headers['if-none-match']
  if (given?.includes('~')) headers['if-none-match'] = given.replace(MARKED, '"$1"')
}

/** The tag of a 304: the one that the visitor holds (RFC 9111 section 4.3.4). */
export function notModifiedTag(etag: string | undefined, request: IncomingMessage): string | undefined {
  const { ifNoneMatch } = exchangeOf(request)
  if (etag === undefined || !ifNoneMatch?.includes('~')) return etag
  for (const match of ifNoneMatch.matchAll(MARKED)) if (`"${match[1]}"` === etag) return match[0]
  return etag
}
