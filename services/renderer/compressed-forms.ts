// Compressed forms of cached pages, kept with the entry: created after the first response that could use one, once for
// all clients (G4). Before a form exists the page is sent plain, and the gateway compresses that one response.

import * as zlib from 'node:zlib'
import type { Log } from '../shared/node/log.ts'
import type { Encoding } from '../shared/wire/encodings.ts'
import type { CachedPage, PageCache, PagePart } from './page-cache.ts'

/** A smaller page hardly shrinks and needs the same number of packets. */
export const LEAST_COMPRESSED_BYTES = 1024

export interface CompressedForms {
  /** The form of a page's HTML or data, undefined before it exists. `key` is the page's key in the cache. */
  of(key: string, page: CachedPage, part: PagePart, encoding: Encoding): Buffer | undefined
}

/** Keeps the forms in the entries of this cache. */
export function createCompressedForms(cache: PageCache, log: Pick<Log, 'warn'>): CompressedForms {
  return {
    of(key, page, part, encoding) {
      const bytes = page[part]
      if (bytes.length < LEAST_COMPRESSED_BYTES) return undefined
      page.forms ??= { html: {}, data: {} }
      const forms = page.forms[part]
      const form = forms[encoding]
      if (form !== undefined) return form ?? undefined
      forms[encoding] = null
      compress(encoding, bytes, (error, compressed) => {
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

const { constants } = zlib
/**
 * Runs once for each page, so with more effort than the gateway. Measured on a page of 10.6 KB (time, bytes): brotli 2
 * 0.25 ms, 2496; brotli 6 0.33 ms, 2338; brotli 9 42 ms, 2338; zstd 9 0.23 ms, 2332; zstd 15 24 ms, 2321; gzip 6 0.14
 * ms, 2740.
 */
const BROTLI_QUALITY = 6
const ZSTD_LEVEL = 9
const GZIP_LEVEL = 6

function compress(encoding: Encoding, body: Buffer, done: (error: Error | null, compressed: Buffer) => void): unknown {
  switch (encoding) {
    case 'br': {
      const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
      const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: body.length }
      return zlib.brotliCompress(body, { params }, done)
    }
    case 'zstd':
      return zlib.zstdCompress(body, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }, done)
    case 'gzip':
      return zlib.gzip(body, { level: GZIP_LEVEL }, done)
  }
}
