// Whether a cache may show the HTML of a page with getServerSideProps more than once: by the headers of the page's code,
// and by the header rules of the site.

import type { HeaderRule } from '@portico/shared/wire/build-output.ts'
import { type CompiledPattern, compilePattern, matchPattern } from '@portico/shared/wire/routing/path-patterns.ts'
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

const sharedPaths = new WeakMap<readonly HeaderRule[], CompiledPattern[]>()

/**
 * Whether a rule adds a header for shared caches to the path, under any conditions. Cache-Control of a rule counts for no
 * such page, because the renderer sends its own.
 */
export function isSharedByRule(rules: readonly HeaderRule[], pathname: string): boolean {
  let patterns = sharedPaths.get(rules)
  if (!patterns) {
    patterns = rules
      .filter(({ headers }) => headers.some(({ key }) => FOR_SHARED_CACHES.test(key.toLowerCase())))
      .map(({ source }) => compilePattern(source))
    sharedPaths.set(rules, patterns)
  }
  return patterns.some((pattern) => matchPattern(pattern, pathname) !== undefined)
}
