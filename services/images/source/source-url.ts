// Normalises site paths and absolute URLs before allow-lists and cache keys use them: each source has one spelling.

import { decodeSegments } from '@portico/shared/wire/routing/routes.ts'
import { canonicalPath, isApiPath, isOwnPath, prefixOf, stripBasePath } from '@portico/shared/wire/routing/urls.ts'

/** Longest `url` parameter, as in other image optimisers. */
const LONGEST_URL = 3072

/**
 * Normalises a path of this site; `rule` is the rule that the path violates. SECURITY: the paths of images and of API
 * handlers are refused (request loops, side effects), and so is every spelling that two parties could read differently.
 * `opensApi` returns true for API paths, below basePath, that the app folder itself allows as sources.
 */
export function normaliseLocal(
  value: string,
  basePath: string,
  opensApi: (path: string) => boolean,
): { url: string } | { rule: string } {
  if (value.length > LONGEST_URL) return { rule: `must have at most ${LONGEST_URL} characters` }
  if (!/^\/(?![/\\])/.test(value)) return { rule: 'must begin with exactly one slash' }
  if (hasControl(value) || /[\\#]/.test(value)) return { rule: 'must contain no backslash, hash or control character' }
  // The URL parser removes spaces at the end; the file's name may need them.
  const spelt = value.replaceAll(' ', '%20')
  const url = new URL(spelt, 'http://site.invalid')
  const written = spelt.split('?')[0]!
  if (/%(?![0-9a-f]{2})|%(?:00|2f|5c)/i.test(written))
    return { rule: 'must contain no malformed percent sequence and no encoded slash' }
  if (url.host !== 'site.invalid' || canonicalPath(written, false).kind !== 'canonical')
    return { rule: 'must be in its canonical form' }
  const below = stripBasePath(url.pathname, basePath)
  if (below === undefined) return { rule: `must be below ${basePath}` }
  const segments = decodeSegments(below)
  if (!segments) return { rule: 'must contain no malformed percent sequence and no encoded slash' }
  const decoded = `/${segments.join('/')}`
  const isOwn = isOwnPath(decoded) && !decoded.startsWith(`${prefixOf('')}/static/`)
  if (isOwn || (isApiPath(decoded) && !opensApi(below))) return { rule: 'must not be an address of the service itself' }
  return { url: spellPath(url.pathname) + url.search }
}

/** Normalises percent sequences: plain characters are not encoded (RFC 3986 sections 6.2.2.1 and 6.2.2.2). */
export function spellPath(pathname: string): string {
  return pathname.replace(/%[0-9a-f]{2}/gi, (sequence) => {
    const character = String.fromCharCode(Number.parseInt(sequence.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : sequence.toUpperCase()
  })
}

/** Normalises an absolute URL; `rule` is the rule that the URL violates. */
export function normaliseRemote(value: string): { url: URL } | { rule: string } {
  if (value.length > LONGEST_URL) return { rule: `must have at most ${LONGEST_URL} characters` }
  if (hasControl(value) || value.includes('\\')) return { rule: 'must contain no backslash or control character' }
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value))
    return { rule: 'must be a path of this site or an http or https URL' }
  const url = new URL(value)
  // SECURITY: the service would send credentials in a URL to the source (confused deputy), and credentials hide the
  // real host from a reader.
  if (url.username !== '' || url.password !== '') return { rule: 'must contain no credentials' }
  if (value.includes('#')) return { rule: 'must contain no hash' }
  // One spelling per host, so that one image has one key.
  url.hostname = url.hostname.replace(/\.$/, '')
  return { url }
}

/**
 * Whether the file name contains a hash of the build or of an author's tool: the content of such a path never changes.
 */
export function isHashedPath(source: string, basePath: string): boolean {
  const { pathname } = new URL(source, 'http://site.invalid')
  if (source.startsWith('/') && pathname.startsWith(`${prefixOf(basePath)}/static/`)) return true
  // Digits alone are usually a date.
  return /-(?=\d*[a-f])[0-9a-f]{8,}\.[a-z0-9]+$/i.test(pathname)
}

function hasControl(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
