// The allow-lists of portico.config.ts for site paths and URLs as sources, prepared once at boot (I1).

import { isLiteralRefused } from '@portico/shared/kit/addresses/address-guard.ts'
import type { ImageSettings, RemotePattern } from '@portico/shared/wire/build-output.ts'
import { createApiSources } from '@portico/shared/wire/image-sources.ts'
import { isApiPath, prefixOf, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import picomatch from 'picomatch'
import type { WorkOrigin } from '../queue/fair-turns.ts'
import { normaliseLocal, normaliseRemote } from './source-url.ts'

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
