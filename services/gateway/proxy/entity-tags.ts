// ETags of answers that the gateway compressed. They are turned back into the upstream's own tags when a visitor asks with
// them, so that If-None-Match works although the upstream knows one form.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { heldTag, plainTags } from '../../shared/node/entity-tags.ts'
import { exchangeOf } from '../exchange.ts'

/** Gives the upstream its own tags back. */
export function restoreTags(headers: IncomingHttpHeaders): void {
  const given = headers['if-none-match']
  if (given?.includes('~')) headers['if-none-match'] = plainTags(given)
}

/** The tag of a 304: the one that the visitor holds (RFC 9111 section 4.3.4). */
export function notModifiedTag(etag: string | undefined, request: IncomingMessage): string | undefined {
  return etag === undefined ? undefined : heldTag(etag, exchangeOf(request).ifNoneMatch)
}
