// The address of a request for which middleware may run (X15).

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { isFilePath, staticUrl } from '@portico/shared/wire/routing/urls.ts'
import type { Exchange } from '../request/exchange.ts'

/** What middleware decides about. */
export interface GuardedAddress {
  kind: 'path' | 'image'
  /** Raw, below basePath. */
  path: string
  search: string
}

type AddressRules = Pick<Manifest, 'basePath' | 'assetPrefix'>

/** Addresses of the framework that hold nothing of a page. */
const UNGUARDED: ReadonlySet<string> = new Set(['static', 'manifest', 'dev', 'own'])

/**
 * The address to which the matchers apply; undefined for one that middleware never guards. SECURITY: page data has the
 * address of its page, in every representation and of every build.
 */
export function guardedAddress(exchange: Exchange, rules: AddressRules): GuardedAddress | undefined {
  const { path, pageData, search } = exchange
  const { route } = exchange.found
  if (!route || path === undefined || UNGUARDED.has(route.name)) return undefined
  if (route.by === 'images') return imageAddress(search, rules)
  if (!route.isData) return { kind: 'path', path, search }
  return pageData && { kind: 'path', path: pageData.pathname, search }
}

/**
 * The file or handler of this site that the image endpoint reads. Undefined for other hosts, and for parameters that the
 * images service refuses.
 */
function imageAddress(search: string, { basePath, assetPrefix = basePath }: AddressRules): GuardedAddress | undefined {
  const [given, ...more] = new URLSearchParams(search).getAll('url')
  if (given === undefined || more.length > 0 || !given.startsWith('/') || !URL.canParse(given, BASE)) return undefined
  const url = new URL(given, BASE)
  if (url.origin !== BASE) return undefined
  if ([basePath, assetPrefix].some((prefix) => url.pathname.startsWith(staticUrl(prefix, '')))) return undefined
  if (basePath !== '' && !url.pathname.startsWith(`${basePath}/`)) return undefined
  return { kind: 'image', path: url.pathname.slice(basePath.length), search: url.search }
}

const BASE = 'http://site.invalid'

/** Path and query of the address as the author's middleware reads them, basePath included. */
export function addressShown(
  { path, search }: GuardedAddress,
  { basePath, trailingSlash }: { basePath: string; trailingSlash: boolean },
  isData: boolean,
): string {
  if (path === '/' && basePath !== '') return `${basePath}${trailingSlash ? '/' : ''}${search}`
  // The address of page data has no slash at the end, that of its page may have one.
  const slash = isData && trailingSlash && path !== '/' && !isFilePath(path) ? '/' : ''
  return basePath + oneSpelling(path) + slash + search
}

/**
 * SECURITY: routes are found by decoded segments, and author code compares text: it must see `/%61dmin` as `/admin`. What a
 * segment must encode remains encoded.
 */
function oneSpelling(path: string): string {
  if (!path.includes('%')) return path
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)).replace(ALLOWED_PLAIN, decodeURIComponent))
      .join('/')
  } catch {
    // Only of an image: the images service refuses a malformed sequence.
    return path
  }
}

/** Characters of a segment (RFC 3986 section 3.3) that encodeURIComponent encodes. */
const ALLOWED_PLAIN = /%(?:24|26|2[BC]|3[ABD]|40)/g
