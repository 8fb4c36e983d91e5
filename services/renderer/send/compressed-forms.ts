// Compressed forms of cached pages, kept with the entry: created after the first response that could use one, once for
// all clients (G4). Before a form exists the page is sent plain, and the gateway compresses that one response.

import { compressorsFor } from '@portico/shared/kit/http/compress.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { COMPRESSION, type Encoding } from '@portico/shared/wire/encodings.ts'
import type { CachedPage, PageCache, PagePart } from '../cache/page-cache.ts'

const COMPRESSORS = compressorsFor('cached')
/** A smaller page has no compressed forms. */
export const LEAST_COMPRESSED_BYTES = COMPRESSION.cached.leastBytes

export type CompressedForms = ReturnType<typeof createCompressedForms>

/** Keeps the forms in the entries of this cache. */
export function createCompressedForms(cache: PageCache, log: Pick<Log, 'warn'>) {
  return {
    /** The form of a page's HTML or data, undefined before it exists. `key` is the page's key in the cache. */
    of(key: string, page: CachedPage, part: PagePart, encoding: Encoding): Buffer | undefined {
      const bytes = page[part]
      if (bytes.length < LEAST_COMPRESSED_BYTES) return undefined
      page.forms ??= { html: {}, data: {} }
      const forms = page.forms[part]
      const form = forms[encoding]
      if (form !== undefined) return form ?? undefined
      forms[encoding] = null
      COMPRESSORS[encoding].whole(bytes, (error, compressed) => {
        // Clients receive the plain page; the form is not tried again.
        if (error) log.warn({ error, encoding }, 'page not compressed')
        else if (compressed.length < bytes.length) {
          forms[encoding] = compressed
          cache.grown?.(key, page)
        }
      })
      return undefined
    },
  }
}
