// Parses the body of an API request by its type, within its limit (A7, A8).

import type { IncomingMessage } from 'node:http'
import { decodeUtf8, readWhole } from '../body/body-meter.ts'
import { formToObject, parseStrictJson } from '../body/decode.ts'
import { readMultipart, readUrlencoded } from '../body/read-form.ts'
import type { UploadScope } from '../body/uploads.ts'
import { mediaTypeOf } from '../read-submission.ts'

export interface ApiBodyOptions {
  limitBytes: number
  uploads: UploadScope
}

/**
 * JSON becomes its value, forms become an object (files as File), text a string, anything else a Buffer. A request
 * without a body has undefined. Throws a ServiceError for malformed and for too large bodies.
 */
export async function readApiBody(request: IncomingMessage, { limitBytes, uploads }: ApiBodyOptions): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (coding === undefined && (length === undefined || length === '0')) return undefined
  const limit = () => limitBytes
  const mediaType = mediaTypeOf(request)
  if (mediaType === 'application/x-www-form-urlencoded')
    return formToObject((await readUrlencoded(request, { limitBytes: limit, uploads })).entries)
  if (mediaType === 'multipart/form-data')
    return formToObject((await readMultipart(request, { limitBytes: limit, uploads })).entries)
  const bytes = await readWhole(request, limit)
  if (bytes.length === 0) return undefined
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return parseStrictJson(decodeUtf8(bytes))
  return mediaType.startsWith('text/') ? decodeUtf8(bytes) : bytes
}
