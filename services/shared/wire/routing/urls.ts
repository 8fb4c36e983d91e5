// Paths of W1 and W2, and the one canonical spelling of a page's path (R6).

import { PREFIX_SEGMENT } from '../constants.ts'
import type { RouteParams } from '../route-params.ts'
import type { Semantics } from '../semantics.ts'

type CanonicalPath =
  | { kind: 'canonical' }
  /** GET and HEAD receive 308 to this pathname, other methods 400. */
  | { kind: 'redirect'; pathname: string }

/** basePath + `/_portico`. */
export function prefixOf(basePath: string): string {
  return `${basePath}/${PREFIX_SEGMENT}`
}

/**
 * Compares a raw pathname with its canonical spelling: one leading slash, no empty or dot segments, no backslash,
 * no slash at the end (with `trailingSlash` exactly one, except after a file name). SECURITY: browsers remove white
 * space from URLs, so white space that could hide a second leading slash is percent-encoded.
 */
export function canonicalPath(pathname: string, trailingSlash: boolean): CanonicalPath {
  // Fast path: nearly every request is canonical.
  if (!/[\\\0- ]|\/\/|\/(\.|%2e){1,2}(\/|$)|\/$/i.test(pathname) && pathname.startsWith('/')) {
    if (!trailingSlash || isFilePath(pathname)) return { kind: 'canonical' }
    return { kind: 'redirect', pathname: `${pathname}/` }
  }
  const parts: string[] = []
  const printable = pathname.replaceAll('\\', '/').replace(/[\0- ]/g, encodeURIComponent)
  for (const part of printable.split('/')) {
    const plain = part.replace(/%2e/gi, '.')
    if (part === '' || plain === '.') continue
    if (plain === '..') parts.pop()
    else parts.push(part)
  }
  let canonical = `/${parts.join('/')}`
  if (trailingSlash && canonical !== '/' && !isFilePath(canonical)) canonical += '/'
  return canonical === pathname ? { kind: 'canonical' } : { kind: 'redirect', pathname: canonical }
}

export interface SiteAddresses {
  basePath: string
  trailingSlash: boolean
  /** Whether a path below basePath is a public file's: such a path has no slash at the end. */
  isPublicFile: (path: string) => boolean
}

/**
 * The Location of a redirect in the form that needs no second redirect: below basePath, in the one canonical spelling.
 * `location` is without basePath; an address of another site is not changed. SECURITY: a browser takes a path that
 * begins with more than one slash or backslash for another host; these are collapsed (no open redirect).
 */
export function locationOnSite({ basePath, trailingSlash, isPublicFile }: SiteAddresses, location: string): string {
  if (!/^[/\\]/.test(location)) return location
  const end = location.search(/[?#]/)
  const path = end < 0 ? location : location.slice(0, end)
  const isPage = !isApiPath(path) && !isOwnPath(path) && !isPublicFile(path)
  const canonical = canonicalPath(path, trailingSlash && isPage)
  const pathname = canonical.kind === 'redirect' ? canonical.pathname : path
  const below = pathname === '/' && basePath !== '' && !trailingSlash ? basePath : basePath + pathname
  return end < 0 ? below : below + location.slice(end)
}

/** Whether a pathname below basePath is one of the framework's own (W1, X2). */
export function isOwnPath(pathname: string, { dataUrls = false }: DataUrls = {}): boolean {
  if (pathname === `/${PREFIX_SEGMENT}` || pathname.startsWith(`/${PREFIX_SEGMENT}/`)) return true
  if (pathname === NEXT_IMAGE_PATH) return true
  return dataUrls && (pathname === NEXT_DATA_PATH || pathname.startsWith(`${NEXT_DATA_PATH}/`))
}

/** Whether the last segment has a dot: `trailingSlash` does not apply to files. */
export function isFilePath(pathname: string): boolean {
  return pathname.slice(pathname.lastIndexOf('/') + 1).includes('.')
}

/** The pathname below basePath (at least `/`); undefined for a path outside of basePath. Compares whole segments. */
export function stripBasePath(pathname: string, basePath: string): string | undefined {
  if (basePath === '') return pathname
  if (pathname === basePath) return '/'
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : undefined
}

/** Whether a pathname below basePath is `/api` or under it; `/apiary` is a page (N4). */
export function isApiPath(pathname: string): boolean {
  return pathname === '/api' || pathname.startsWith('/api/')
}

/**
 * The address of a page's data (W2). `pathname` is raw and below basePath; its percent-encoding is kept.
 * `search` is empty or begins with `?`.
 */
export function dataUrl(basePath: string, buildId: string, pathname: string, search = ''): string {
  return `${prefixOf(basePath)}/data/${buildId}/${dataFile(pathname)}${search}`
}

/** The same as clients of Next.js write it, below basePath. */
export function nextDataUrl(buildId: string, pathname: string, search = ''): string {
  return `${NEXT_DATA_PATH}/${buildId}/${dataFile(pathname)}${search}`
}

function dataFile(pathname: string): string {
  const path = pathname.replace(/^\/+|\/+$/g, '')
  const name = path === '' ? 'index' : path === 'index' || path.startsWith('index/') ? `index/${path}` : path
  return `${name}.json`
}

/** The form in which a page is sent: the document, page data (W2), or the page data of Next.js (X2). */
export type Representation = 'html' | 'data' | 'next-data'

/** Addresses of page data as clients of Next.js write them, below basePath. */
export const NEXT_DATA_PATH = '/_next/data'
/** Images as code for Next.js requests them (W1). */
export const NEXT_IMAGE_PATH = '/_next/image'

type DataUrls = Pick<Semantics, 'dataUrls'>

/** The page that a data address names, and its representation; `pathname` is raw and below basePath. */
export interface DataPath {
  as: Exclude<Representation, 'html'>
  buildId: string
  pathname: string
}

/**
 * Page and representation of a data address: `{prefix}/data/{buildId}/{path}.json`, and with `dataUrls`
 * `/_next/data/{buildId}/{path}.json`. `path` is raw and below basePath; undefined for another shape. Gateway and renderer
 * recognise page data by this one function: a rule for pages applies to every representation (R7).
 *
 * @example
 * ```ts
 * parseDataPath('/_next/data/b1/places/lisbon.json', { dataUrls: true }) // { as: 'next-data', buildId: 'b1', pathname: '/places/lisbon' }
 * ```
 */
export function parseDataPath(path: string, { dataUrls = false }: DataUrls = {}): DataPath | undefined {
  const isNextPath = dataUrls && path.startsWith(`${NEXT_DATA_PATH}/`)
  if (!isNextPath && !path.startsWith(`/${PREFIX_SEGMENT}/data/`)) return undefined
  const match = /^\/[^/]+\/data\/([A-Za-z0-9_-]+)\/(.+)\.json$/.exec(path)
  if (!match?.[1] || !match[2]) return undefined
  const name = match[2]
  // Only addresses that dataUrl writes: caches would keep a second address of one page separately.
  if (name.startsWith('/') || name.endsWith('/')) return undefined
  const isIndex = name.startsWith('index/')
  const page = isIndex ? name.slice('index/'.length) : name
  if (isIndex && page !== 'index' && !page.startsWith('index/')) return undefined
  const pathname = name === 'index' ? '/' : `/${page}`
  // SECURITY: a URL has no dot segments: author code that reads the address as a URL would see another page than the route tree.
  if (DOT_SEGMENT.test(pathname)) return undefined
  return { as: isNextPath ? 'next-data' : 'data', buildId: match[1], pathname }
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/** The address of the browser's manifest. */
export function manifestUrl(basePath: string, buildId: string): string {
  return `${prefixOf(basePath)}/manifest/${buildId}.json`
}

/**
 * The address of a hashed file; `prefix` is the `assetPrefix` of a site that has one, else basePath. In development a name is
 * an address, which begins with a slash.
 */
export function staticUrl(prefix: string, name: string): string {
  return name.startsWith('/') ? name : `${prefixOf(prefix)}/static/${name}`
}

/**
 * Finds the path below basePath of a hashed file that is requested with the path of `assetPrefix`, as a CDN requests it from
 * its origin; undefined for any other path.
 *
 * @example
 * ```ts
 * prefixedStaticPaths('https://cdn.example.org/cdn')('/cdn/_portico/static/a-1.js') // '/_portico/static/a-1.js'
 * ```
 */
export function prefixedStaticPaths(assetPrefix: string): (pathname: string) => string | undefined {
  const path = assetPrefix.startsWith('/') ? assetPrefix : new URL(assetPrefix).pathname.replace(/\/$/, '')
  const folder = staticUrl(path, '')
  return (pathname) => (pathname.startsWith(folder) ? pathname.slice(path.length) : undefined)
}

/** The address of an optimised image (I1). */
export function imageUrl(basePath: string, source: string, width: number, quality: number): string {
  return `${prefixOf(basePath)}/image?url=${encodeURIComponent(source)}&w=${width}&q=${quality}`
}

/** Splits a request target into raw pathname and search (`''` or `?…`). */
export function splitTarget(target: string): { pathname: string; search: string } {
  const hash = target.indexOf('#')
  const clean = hash < 0 ? target : target.slice(0, hash)
  const mark = clean.indexOf('?')
  return mark < 0 ? { pathname: clean, search: '' } : { pathname: clean.slice(0, mark), search: clean.slice(mark) }
}

/** Query values of a search string in an object without a prototype; repeated names become lists. */
export function parseQuery(search: string): RouteParams {
  const query = Object.create(null) as RouteParams
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (Array.isArray(before)) before.push(value)
    else query[name] = [before, value]
  }
  return query
}
