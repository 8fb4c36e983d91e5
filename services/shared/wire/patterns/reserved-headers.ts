// Headers of responses that no header rule of a site may set (R7).

import { HEADERS } from '../constants.ts'

/** In lower case: framing, encoding and identity of a response (response splitting). */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'etag',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
  HEADERS.build,
  HEADERS.requestId,
])

/** Whether a header, in lower case, is Portico's own. */
export function isReservedHeader(name: string): boolean {
  return name.startsWith('portico-') || RESERVED_HEADERS.has(name)
}
