// Parses the body of an API request by its type, within its limit (A7, A8).

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { decodeUtf8, readWhole } from '@portico/shared/kit/http/read-body.ts'
import { mediaTypeOf } from '@portico/shared/wire/encodings.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import { formToObject, parseStrictJson } from '../request/body/decode.ts'
import { readMultipart, readUrlencoded } from '../request/body/read-form.ts'
import type { UploadScope } from '../request/body/uploads.ts'

interface ApiBodyOptions {
  limitBytes: number
  uploads: UploadScope
  semantics: Pick<Semantics, 'apiBody'>
}

/**
 * Returns the value of JSON, an object for forms (files as File), a string for text, and a Buffer for other types, with
 * `apiBody` a string; undefined without a body. Throws a ServiceError for a body that is malformed or too large.
 */
export async function readApiBody(
  request: IncomingMessage,
  { limitBytes, uploads, semantics }: ApiBodyOptions,
): Promise<unknown> {
  const asText = semantics.apiBody === true
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const mediaType = mediaTypeOf(request.headers['content-type'])
  const empty = asText ? emptyBody(mediaType) : undefined
  if (coding === undefined && (length === undefined || length === '0')) return empty
  const options = { limitBytes: () => limitBytes, uploads }
  if (mediaType === 'application/x-www-form-urlencoded')
    return formToObject((await readUrlencoded(request, options)).entries)
  if (mediaType === 'multipart/form-data') return formToObject((await readMultipart(request, options)).entries)
  const bytes = await readWhole(request, options)
  if (bytes.length === 0) return empty
  const isJson = asText
    ? NEXT_JSON.includes(mediaType)
    : mediaType === 'application/json' || mediaType.endsWith('+json')
  if (isJson) return parseStrictJson(decodeUtf8(bytes))
  if (asText) return decodeText(bytes, request.headers['content-type'])
  return mediaType.startsWith('text/') ? decodeUtf8(bytes) : bytes
}

/** Next.js parses no other type as JSON. */
const NEXT_JSON: readonly string[] = ['application/json', 'application/ld+json']

/** Handlers take members of the body before they look at the method. */
function emptyBody(mediaType: string): unknown {
  return NEXT_JSON.includes(mediaType) || mediaType === 'application/x-www-form-urlencoded' ? {} : ''
}

/** As in Next.js, bytes that are no text are replaced: the handler may not read the body at all. */
function decodeText(bytes: Buffer, contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'The charset of the body is not supported.', cause })
  }
}
