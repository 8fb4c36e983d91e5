// What the steps after middleware know of its verdict (X15).

import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { canonicalPath, splitTarget } from '@portico/shared/wire/routing/urls.ts'

/** Where middleware rewrites a request to. */
type Moved =
  /** Raw and below basePath. */
  | { readonly kind: 'path'; readonly pathname: string; readonly search: string }
  /** An address of another host. */
  | { readonly kind: 'external'; readonly origin: string; readonly pathname: string; readonly search: string }
  /** notFound(): every path is one without a page. */
  | { readonly kind: 'nothing' }

/** Noted in the exchange of each request for which middleware ran. */
export interface Guarded {
  readonly verdict: MiddlewareVerdict['kind']
  /** Names in lower case, added to the response of this client and stored nowhere. */
  readonly responseHeaders: readonly (readonly [name: string, value: string])[]
  readonly moved?: Moved | undefined
}

/** The place to which a verdict rewrites. */
export function movedTo(target: string): Exclude<Moved, { kind: 'nothing' }> {
  if (!target.startsWith('/')) {
    const { origin, pathname, search } = new URL(target)
    return { kind: 'external', origin, pathname, search }
  }
  const { pathname, search } = splitTarget(target)
  const canonical = canonicalPath(pathname, false)
  return { kind: 'path', pathname: canonical.kind === 'redirect' ? canonical.pathname : pathname, search }
}
