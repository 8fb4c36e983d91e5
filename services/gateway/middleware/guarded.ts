// What the steps after middleware know of its verdict (X15), and the address about which middleware is asked.

import { canonicalPath, isFilePath, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { Exchange } from '../request/exchange.ts'

/** Where middleware rewrites a request to. */
export type Moved =
  /** Raw and below basePath. */
  | { readonly kind: 'path'; readonly pathname: string; readonly search: string }
  /** An address of another host. */
  | { readonly kind: 'external'; readonly origin: string; readonly pathname: string; readonly search: string }
  /** notFound(): no page, whatever the path. */
  | { readonly kind: 'nothing' }

/** Noted in the exchange of each request for which middleware ran. */
export interface Guarded {
  /** Names in lower case, added to the response of this client and stored nowhere. */
  readonly responseHeaders: readonly (readonly [name: string, value: string])[]
  readonly moved?: Moved | undefined
}

/** About what middleware is asked. */
export interface GuardedAddress {
  kind: 'path' | 'image'
  /** Raw, below basePath. */
  path: string
  search: string
}

export interface AddressRules {
  basePath: string
}

/** Addresses of the framework that hold nothing of a page. */
const UNGUARDED: ReadonlySet<string> = new Set(['static', 'manifest', 'dev', 'own'])

/**
 * The address to which the matchers apply; undefined for one that middleware never guards. SECURITY: page data has the
 * address of its page, in every representation and of every build.
 */
export function guardedAddress(exchange: Exchange, rules: AddressRules): GuardedAddress | undefined {
  const { route, path, pageData, search } = exchange
  if (!route || path === undefined || UNGUARDED.has(route.name)) return undefined
  if (route.by === 'images') return imageAddress(search, rules)
  if (!route.isData) return { kind: 'path', path, search }
  return pageData && { kind: 'path', path: pageData.pathname, search }
}

/**
 * The file or handler of this site that the image endpoint reads. Undefined for other hosts, and for parameters that the
 * images service refuses.
 */
function imageAddress(search: string, { basePath }: AddressRules): GuardedAddress | undefined {
  const [given, ...more] = new URLSearchParams(search).getAll('url')
  if (given === undefined || more.length > 0 || !given.startsWith('/') || !URL.canParse(given, BASE)) return undefined
  const url = new URL(given, BASE)
  if (url.origin !== BASE) return undefined
  if (basePath !== '' && !url.pathname.startsWith(`${basePath}/`)) return undefined
  const path = url.pathname.slice(basePath.length)
  if (path.startsWith(STATIC)) return undefined
  return { kind: 'image', path, search: url.search }
}

const BASE = 'http://site.invalid'
const STATIC = '/_portico/static/'

/** Path and query of the address as the author's middleware reads them, basePath included. */
export function addressShown(
  { path, search }: GuardedAddress,
  { basePath, trailingSlash }: { basePath: string; trailingSlash: boolean },
  isData: boolean,
): string {
  if (path === '/' && basePath !== '') return `${basePath}${trailingSlash ? '/' : ''}${search}`
  // The address of page data has no slash at the end, that of its page may have one.
  const slash = isData && trailingSlash && path !== '/' && !isFilePath(path) ? '/' : ''
  return basePath + path + slash + search
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
