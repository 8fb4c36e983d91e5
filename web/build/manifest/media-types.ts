// Media types of served files.

import { extname } from 'node:path'
import { lookup } from 'mrmime'

/** What the list of the IANA, from which mrmime is made, lacks or calls otherwise. */
const OTHERS: Readonly<Record<string, string>> = {
  '.flac': 'audio/flac',
  '.ico': 'image/x-icon',
  '.xml': 'application/xml',
}
/** Types of text, which is in UTF-8; SVG names its encoding itself. */
const TEXT = /^text\/|[/+]json$|^application\/xml$/

/** Media type by file extension. */
export function mediaTypeOf(path: string): string {
  const extension = extname(path).toLowerCase()
  const type = OTHERS[extension] ?? (lookup(extension) || 'application/octet-stream')
  return TEXT.test(type) ? `${type}; charset=utf-8` : type
}
