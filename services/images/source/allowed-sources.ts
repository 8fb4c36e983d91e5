// The allow-lists of portico.config.ts for site paths and URLs as sources, prepared once at boot (I1). Addresses are
// normalised before allow-lists and cache keys use them: each source has one spelling.

import { isLiteralRefused } from '@portico/shared/kit/addresses/address-guard.ts'
import type { ImageSettings, RemotePattern } from '@portico/shared/wire/build-output.ts'
import { createApiSources } from '@portico/shared/wire/image-sources.ts'
import { decodeSegments } from '@portico/shared/wire/routing/routes.ts'
import { canonicalPath, isApiPath, isOwnPath, prefixOf, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import picomatch from 'picomatch'
import type { WorkOrigin } from '../queue/queue.ts'

/** `url` is normalised: a site path with its query, or an absolute URL. */
export type Source =
  | { kind: 'local'; url: string }
  /** `pattern` is the host of the first pattern that allows the URL, as written in the config. */
  | { kind: 'remote'; url: string; pattern: string }

/** The origin whose share of the encoders the work on this source uses. */
export function originOf(source: Source): WorkOrigin {
  if (source.kind === 'local') return { pattern: '', host: '' }
  return { pattern: source.pattern, host: new URL(source.url).host }
}

/** For parameters and for every hop of a redirect. `rule` is the rule that the value violates. */
export type SourcePatterns = ReturnType<typeof createSourcePatterns>

/** Compiles both lists. Without `localPatterns` every path is allowed; without `remotePatterns` no URL is. */
export function createSourcePatterns(settings: ImageSettings, basePath: string) {
  // Static imports are files of the build: the author's list of paths does not apply to these files.
  const imported = `${prefixOf(basePath)}/static/`
  const local = settings.localPatterns?.map((pattern) => ({
    matches: picomatch(pattern.pathname ?? '**', { dot: true }),
    search: pattern.search,
    opensApi: createApiSources([pattern], basePath),
  }))
  const remote = settings.remotePatterns.map((pattern) => ({
    hostname: pattern.hostname,
    matches: compileRemote(pattern),
  }))
  const opensApi = createApiSources(settings.localPatterns, basePath)
  const allowsLocal = (path: string) => {
    const { pathname, search } = new URL(path, 'http://site.invalid')
    if (!local || (pathname.startsWith(imported) && search === '')) return true
    const below = stripBasePath(pathname, basePath) ?? ''
    // SECURITY: only a pattern that names an API handler may allow the handler, not a wide pattern next to it.
    const isApi = isApiPath(below)
    return local.some(
      (pattern) =>
        (!isApi || pattern.opensApi(below)) && pattern.matches(pathname) && (pattern.search ?? search) === search,
    )
  }
  return {
    /** `value` begins with a slash. */
    parseLocal(value: string): Source | { rule: string } {
      const path = normaliseLocal(value, basePath, opensApi)
      if ('rule' in path) return path
      if (!allowsLocal(path.url)) return { rule: 'must be a path that images.localPatterns allows' }
      return { kind: 'local', url: path.url }
    },
    parseRemote(value: string): Source | { rule: string } {
      const normalised = normaliseRemote(value)
      if ('rule' in normalised) return normalised
      const { url } = normalised
      const pattern = remote.find(({ matches }) => matches(url))?.hostname
      if (pattern === undefined) return { rule: 'must be a URL that images.remotePatterns allows' }
      if (!settings.dangerouslyAllowLocalIP && isLiteralRefused(url.hostname))
        return { rule: 'must not name a private address' }
      return { kind: 'remote', url: url.href, pattern }
    },
  }
}

function compileRemote(pattern: RemotePattern): (url: URL) => boolean {
  const matchesPath = picomatch(pattern.pathname ?? '**', { dot: true })
  const hostname = pattern.hostname.toLowerCase().split('.')
  return (url) =>
    (pattern.protocol === undefined || url.protocol === `${pattern.protocol}:`) &&
    (pattern.port === undefined || url.port === pattern.port) &&
    (pattern.search === undefined || url.search === pattern.search) &&
    matchesHostname(hostname, url.hostname) &&
    matchesPath(url.pathname)
}

/** `*` matches one whole label, `**` at the front matches one or more. */
function matchesHostname(pattern: readonly string[], hostname: string): boolean {
  const labels = hostname.split('.')
  const rest = pattern[0] === '**' ? pattern.slice(1) : pattern
  if (rest.length < pattern.length ? labels.length <= rest.length : labels.length !== rest.length) return false
  const tail = labels.slice(labels.length - rest.length)
  return rest.every((part, index) => part === '*' || part === tail[index])
}

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
