// Whether a cache may show the HTML of a page with getServerSideProps more than once, by the headers of the page's code.

import type { PageResponse } from './page-response.ts'

/** Headers for a shared cache alone, which override Cache-Control there (RFC 9213 section 2.2). */
const FOR_SHARED_CACHES = /(^|-)(cdn-cache-control|surrogate-control)$/

/**
 * False only if the headers forbid every reuse (RFC 9111 section 5.2.2): without Cache-Control the renderer sends
 * `private, no-store`. A shared cache may send one response to several waiting clients even if it must validate later.
 */
export function mayBeReused(headers: PageResponse['headers']): boolean {
  if (Object.keys(headers).some((name) => FOR_SHARED_CACHES.test(name))) return true
  const value = headers['cache-control']
  if (value === undefined) return false
  const directives = [value]
    .flat()
    .join()
    .toLowerCase()
    .split(/\s*,\s*/)
  const has = (directive: string) => directives.includes(directive)
  return !has('no-store') && !(has('private') && (has('no-cache') || has('max-age=0')))
}
