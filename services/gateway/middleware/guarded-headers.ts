// The headers of a response to a request for which middleware ran (X15): those that middleware set, and no permission for
// a shared cache.

import { CACHE_NONE } from '@portico/shared/wire/constants.ts'
import { isForSharedCaches } from '@portico/shared/wire/policy/shared-caches.ts'
import type { Guarded } from './guarded.ts'

/** Cache-Control of a page or file that is the same for all clients whom middleware lets pass. */
export const CACHE_GUARDED = 'private, max-age=0, must-revalidate'

/** Each response has its own line of these. */
const REPEATED: ReadonlySet<string> = new Set(['set-cookie', 'vary'])
/** Cache-Control is decided apart; the type is that of the body which is sent. */
const OTHERWISE: ReadonlySet<string> = new Set(['cache-control', 'content-type'])

/**
 * Adds what middleware set to a flat list, before the rules of the site do; a header that the response sets itself
 * remains, except Cache-Control. Returns the names that no rule sets any more. SECURITY: the next client may be one whom
 * middleware refuses, so no shared cache stores the response unless middleware or a rule says so.
 */
export function addGuarded(
  headers: string[],
  has: (name: string) => boolean,
  { responseHeaders }: Guarded,
  isError: boolean,
): ReadonlySet<string> {
  const added = new Set<string>()
  const cacheControl = isError ? undefined : responseHeaders.find(([name]) => name === 'cache-control')?.[1]
  const isInList = removeShared(headers, cacheControl !== undefined)
  // The gateway's own error receives its Cache-Control later.
  if (cacheControl !== undefined && (isInList || !has('cache-control'))) {
    headers.push('cache-control', cacheControl)
    added.add('cache-control')
  }
  const cookies: string[] = []
  for (const [name, value] of responseHeaders) {
    if (OTHERWISE.has(name) || (!REPEATED.has(name) && has(name))) continue
    if (name === 'set-cookie') cookies.push(name, value)
    else headers.push(name, value)
    if (!REPEATED.has(name)) added.add(name)
  }
  // SECURITY: of two cookies with one name browsers keep the last. A page or handler that ends a session must have the last
  // word over middleware that renews it, as in Next.js.
  headers.unshift(...cookies)
  return added
}

/** Takes permissions of shared caches from a list, or all of Cache-Control. Returns whether the list had Cache-Control. */
function removeShared(headers: string[], isReplaced: boolean): boolean {
  let isInList = false
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const name = headers[at]!.toLowerCase()
    if (name === 'cache-control') {
      isInList = true
      if (isReplaced) headers.splice(at, 2)
      else headers[at + 1] = privately(headers[at + 1]!)
    } else if (isForSharedCaches(name)) headers.splice(at, 2)
  }
  return isInList
}

/** The same for the client's own cache only. */
function privately(value: string): string {
  if (/\b(?:private|no-store)\b/i.test(value)) return value
  const kept = value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !/^(?:public$|s-maxage\b|proxy-revalidate$|stale-)/i.test(each))
  return kept.length === 0 ? CACHE_NONE : ['private', ...kept].join(', ')
}
