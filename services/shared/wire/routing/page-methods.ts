// Which requests an address takes besides GET and HEAD, by `methods` of its page (E6, X7).

import type { Manifest } from '../build-output.ts'
import { mediaTypeOf } from '../encodings.ts'
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

/** As in Next.js, where nothing is, nothing is found by any method. */
export function takesBody(resolution: Resolution, request: SentRequest, { isNext }: Pick<Manifest, 'isNext'>): boolean {
  if (resolution.kind === 'no-match') return isNext === true && request.method !== 'TRACE'
  if (resolution.kind !== 'page') return false
  const { methods } = resolution.entry
  return methods === 'all' ? request.method !== 'TRACE' : methods === 'form' && isFormPost(request)
}
