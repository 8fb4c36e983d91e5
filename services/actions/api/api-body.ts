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
}

/**
 * Returns the value of JSON, an object for forms (files as File), a string for text, and a Buffer for other types;
 * undefined without a body. Throws a ServiceError for a body that is malformed or too large.
 */
export async function readApiBody(request: IncomingMessage, { limitBytes, uploads }: ApiBodyOptions): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (coding === undefined && (length === undefined || length === '0')) return undefined
  const options = { limitBytes: () => limitBytes, uploads }
  const mediaType = mediaTypeOf(request)
  if (mediaType === 'application/x-www-form-urlencoded')
    return formToObject((await readUrlencoded(request, options)).entries)
  if (mediaType === 'multipart/form-data') return formToObject((await readMultipart(request, options)).entries)
  const bytes = await readWhole(request, options)
  if (bytes.length === 0) return undefined
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return parseStrictJson(decodeUtf8(bytes))
  return mediaType.startsWith('text/') ? decodeUtf8(bytes) : bytes
}
