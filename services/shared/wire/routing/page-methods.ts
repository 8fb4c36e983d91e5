// Which requests a page takes besides GET and HEAD, by `methods` of its entry (E6, X7).

import type { PageEntry } from '../build-output.ts'
import { mediaTypeOf } from '../encodings.ts'

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

export function takesBody({ methods }: Pick<PageEntry, 'methods'>, request: SentRequest): boolean {
  return methods === 'all' ? request.method !== 'TRACE' : methods === 'form' && isFormPost(request)
}
