// URLs as `next/link` and `next/router` take them: a text or an object, relative to the page, with the parameters of a
// dynamic route in the query, and with the address to show in its place (`as`).

import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'

type QueryValue = string | number | boolean | null | undefined
type UrlQuery = Record<string, QueryValue | readonly QueryValue[]>

/** The parts of a URL, with the names of Node's `url` module. */
export interface UrlObject {
  protocol?: string | null
  auth?: string | null
  host?: string | null
  hostname?: string | null
  port?: string | number | null
  /** May be the pattern of a dynamic route: `query` has its parameters. */
  pathname?: string | null
  search?: string | null
  query?: UrlQuery | string | null
  hash?: string | null
  href?: string | null
  slashes?: boolean | null
}

export type Url = string | UrlObject

/** The page that URLs are relative to. */
interface Place {
  pathname: string
  asPath: string
}

/** Where a navigation leads, without basePath. */
export interface UrlTarget {
  /** The address in the address bar. */
  address: string
  /** The page to load where that is not the page of the address (`as`). */
  from?: string
}

/** The target of `url` and `as`. Throws when a dynamic route lacks a parameter. */
export function targetOf(url: Url, as: Url | undefined, place: Place): UrlTarget {
  const page = textOf(url, place)
  if (as === undefined || as === '') {
    const missing = missingParameters(page)
    if (missing.length > 0)
      throw new Error(`href=${page}: the query lacks ${missing.join(', ')}, which the path of the page needs`)
    return { address: withParameters(page) }
  }
  const address = withParameters(textOf(as, place))
  // A page of another origin is loaded by the browser, and no page of this site is shown at an address of another one.
  if (ABSOLUTE.test(page)) return { address: isPatternBeside(page, address) ? address : page }
  if (ABSOLUTE.test(address)) return { address }
  const from = isPageOf(page, address) ? withSearchOf(address, page) : withParameters(page)
  return withoutHash(from) === withoutHash(address) ? { address } : { address, from }
}

/** The text of a URL object, as the `href` of a link or for a request. */
export function formatUrl(url: UrlObject): string {
  const { auth, hostname, port, pathname } = url
  const host =
    url.host ?? (hostname ? `${hostname.includes(':') ? `[${hostname}]` : hostname}${port ? `:${port}` : ''}` : '')
  const protocol = url.protocol ? `${url.protocol.replace(/:$/, '')}:` : ''
  const origin = host || url.slashes ? `${protocol}//${auth ? `${encodeURIComponent(auth)}@` : ''}${host}` : protocol
  const query = typeof url.query === 'object' && url.query ? formatQuery(url.query) : (url.query ?? '')
  const search = url.search || (query && `?${query}`) || ''
  const path = (pathname ?? '').replace(/[?#]/g, encodeURIComponent)
  const isBelowHost = origin.includes('//') && path !== '' && !path.startsWith('/')
  return `${origin}${isBelowHost ? '/' : ''}${path}${begin('?', search.replaceAll('#', '%23'))}${begin('#', url.hash ?? '')}`
}

function begin(mark: string, text: string): string {
  return text === '' || text.startsWith(mark) ? text : mark + text
}

/** Values that are no text, number or boolean are empty, as in Next.js. */
function formatQuery(query: UrlQuery): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, plainValue(each))
  return params.toString()
}

function plainValue(value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
  return isPlain ? String(value) : ''
}

/** What browsers leave out of a URL: control characters before it, and line breaks and tabs anywhere. */
const IGNORED = /^[\0- ]+|[\t\n\r]/g
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i

/** The URL as a path of the site, or as an absolute URL. */
function textOf(url: Url, { pathname, asPath }: Place): string {
  const text = (typeof url === 'string' ? url : formatUrl(url)).replace(IGNORED, '').trim()
  if (ABSOLUTE.test(text)) return text
  if (/^[/\\]/.test(text)) return withOneSlash(text)
  if (text.startsWith('#')) return withoutHash(asPath) + text
  const shown = splitTarget(asPath).pathname
  if (text === '') return withoutHash(asPath)
  if (!text.startsWith('?')) return addressOf(new URL(text, new URL(shown, 'http://site')))
  // A query is for the pattern of the page if it has its parameters, and if no rewrite hides the page behind its address.
  const page = pathname + text
  return missingParameters(page).length === 0 && isPathOf(pathname, shown) ? page : shown + text
}

/**
 * SECURITY: a path that begins with two slashes would name another host. As in Next.js it is a path: pages pass values of
 * their query to the router that begin with a slash.
 */
function withOneSlash(text: string): string {
  return text.replace(/^[^?#]*/, (path) => path.replace(/[/\\]+/g, '/'))
}

function addressOf({ pathname, search, hash }: URL): string {
  return withOneSlash(pathname) + search + hash
}

const PARAMETER = /\[(\[)?(\.\.\.)?([^\]]+)\]\]?/g

/** Whether a path is one of the pattern: that of a rewritten page is not. */
function isPathOf(pattern: string, path: string): boolean {
  const parts = pattern.split('/').filter(Boolean)
  const segments = path.split('/').filter(Boolean)
  const fits = (part: string, at: number) => part.startsWith('[') || part === segments[at]
  const last = parts.at(-1) ?? ''
  const isLong = last.startsWith('[...') || last.startsWith('[[...')
  const shortest = parts.length - (last.startsWith('[[...') ? 1 : 0)
  return parts.every(fits) && segments.length >= shortest && (isLong || segments.length === parts.length)
}

/** The names of the parameters in the pattern of a path that the query lacks. */
function missingParameters(text: string): string[] {
  if (!text.includes('[') || ABSOLUTE.test(text)) return []
  const { pathname, search } = splitTarget(text)
  const query = parseQuery(search)
  return [...pathname.matchAll(PARAMETER)].flatMap(([, isOptional, , name = '']) =>
    isOptional || (query[name] !== undefined && query[name] !== '') ? [] : name,
  )
}

/** Moves the parameters of a dynamic route from the query into the path. */
function withParameters(text: string): string {
  if (!text.includes('[') || ABSOLUTE.test(text) || missingParameters(text).length > 0) return text
  const { pathname, search } = splitTarget(text)
  const query = parseQuery(search)
  const rest = new URLSearchParams(search)
  const path = pathname.replace(PARAMETER, (_, _optional, _many, name: string) => {
    rest.delete(name)
    return [query[name] ?? []].flat().map(encodeURIComponent).join('/')
  })
  const left = rest.toString()
  return (withOneSlash(path).replace(/(?<=.)\/$/, '') || '/') + (left && `?${left}`) + hashOf(text)
}

/** Whether a URL is the pattern of a page in the origin of an address, whose parameters the address has. */
function isPatternBeside(page: string, address: string): boolean {
  const originOf = (url: string) => /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0]
  const origin = originOf(page)
  return origin !== undefined && origin === originOf(address) && splitTarget(page).pathname.includes('[')
}

/** Whether only the address has the parameters of the page. */
function isPageOf(page: string, address: string): boolean {
  if (missingParameters(page).length > 0) return true
  const { pathname, search } = splitTarget(page)
  const optional = /\[\[\.\.\.([^\]]+)\]\]$/.exec(pathname)?.[1]
  if (optional === undefined || parseQuery(search)[optional] !== undefined) return false
  return isPathOf(pathname, splitTarget(address).pathname)
}

/** `as` of a dynamic route whose parameters only `as` has: the page of `as`, with the query of the URL. */
function withSearchOf(address: string, page: string): string {
  const { search } = splitTarget(page)
  return search === '' ? address : splitTarget(address).pathname + search
}

function hashOf(text: string): string {
  const at = text.indexOf('#')
  return at < 0 ? '' : text.slice(at)
}

function withoutHash(text: string): string {
  return text.slice(0, text.length - hashOf(text).length)
}
