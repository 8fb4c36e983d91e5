// Parses the body of an API request by its type, within its limit (A7, A8).

import type { IncomingMessage } from 'node:http'
import { decodeUtf8, readWhole } from '@portico/shared/kit/http/read-body.ts'
import { formToObject, parseStrictJson } from '../request/body/decode.ts'
import { readMultipart, readUrlencoded } from '../request/body/read-form.ts'
import type { UploadScope } from '../request/body/uploads.ts'
import { mediaTypeOf } from '../request/read-submission.ts'

export interface ApiBodyOptions {
  limitBytes: number
  uploads: UploadScope
  /** Compatibility mode: empty bodies are those of Next.js, and a body without a type is text. */
  isNext: boolean
}

/**
 * Returns the value of JSON, an object for forms (files as File), a string for text, and a Buffer for other types;
 * undefined without a body. Throws a ServiceError for a body that is malformed or too large.
 */
export async function readApiBody(
  request: IncomingMessage,
  { limitBytes, uploads, isNext }: ApiBodyOptions,
): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const mediaType = mediaTypeOf(request)
  const empty = isNext ? emptyBody(mediaType) : undefined
  if (coding === undefined && (length === undefined || length === '0')) return empty
  const options = { limitBytes: () => limitBytes, uploads }
  if (mediaType === 'application/x-www-form-urlencoded')
    return formToObject((await readUrlencoded(request, options)).entries)
  if (mediaType === 'multipart/form-data') return formToObject((await readMultipart(request, options)).entries)
  const bytes = await readWhole(request, options)
  if (bytes.length === 0) return empty
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return parseStrictJson(decodeUtf8(bytes))
  const isText = mediaType.startsWith('text/') || (isNext && mediaType === '')
  return isText ? decodeUtf8(bytes) : bytes
}

/** Handlers take members of the body before they look at the method. */
function emptyBody(mediaType: string): unknown {
  if (['application/json', 'application/ld+json', 'application/x-www-form-urlencoded'].includes(mediaType)) return {}
  return mediaType === '' || mediaType === 'text/plain' ? '' : Buffer.alloc(0)
}
