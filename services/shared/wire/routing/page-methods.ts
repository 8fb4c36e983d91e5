// Which requests an address takes besides GET and HEAD, by `methods` of its page (E6, X7).

import { mediaTypeOf } from '../encodings.ts'
import type { Semantics } from '../semantics.ts'
import type { Resolution } from './resolve-page.ts'

interface SentRequest {
  method?: string | undefined
  headers: { readonly 'content-type'?: string | undefined }
}

/** A POST as a form without JavaScript sends it (W3). */
export function isFormPost({ method, headers }: SentRequest): boolean {
  if (method !== 'POST') return false
  const type = mediaTypeOf(headers['content-type'])
  return type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
}

/** Whether the address takes a request with a body. */
export function takesBody(
  resolution: Resolution,
  request: SentRequest,
  { unknownMethods = false }: Pick<Semantics, 'unknownMethods'>,
): boolean {
  if (resolution.kind === 'no-match') return unknownMethods && request.method !== 'TRACE'
  if (resolution.kind !== 'page') return false
  const { methods } = resolution.entry
  return methods === 'all' ? request.method !== 'TRACE' : methods === 'form' && isFormPost(request)
}
