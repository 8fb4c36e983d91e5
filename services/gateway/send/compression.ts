// Decides which responses the gateway compresses: only text that has no encoding yet (G4).

import { COMPRESSION, isCompressibleType, mediaTypeOf } from '@portico/shared/wire/encodings.ts'
import type { UpstreamHead } from '../proxy/headers/response-headers.ts'

/** Whole responses up to this size are compressed in one call, larger responses as they pass. */
export const ONE_CALL_BYTES = 256 * 1024

/** Whether a response of this type is a stream that the upstream does not end. */
export function isEventStream(contentType: string | undefined): boolean {
  return mediaTypeOf(contentType) === 'text/event-stream'
}

/** Whether a response may be sent in another encoding; such a response varies by Accept-Encoding. */
export function isCompressible(status: number, head: UpstreamHead): boolean {
  if (status < 200 || status === 204 || status === 206 || status === 304) return false
  if (head.contentEncoding !== undefined || head.names.includes('content-range')) return false
  if (head.cacheControl?.includes('no-transform')) return false
  if (head.contentLength !== undefined && Number(head.contentLength) < COMPRESSION.passing.leastBytes) return false
  return isCompressibleType(head.contentType)
}
