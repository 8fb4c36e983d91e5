// The allow-lists of portico.config.ts for site paths and URLs as sources, prepared once at boot (I1).

import picomatch from 'picomatch'
import type { ImageSettings, RemotePattern } from '../../shared/wire/build-output.ts'
import { createApiSources } from '../../shared/wire/image-sources.ts'
import { isApiPath, prefixOf, stripBasePath } from '../../shared/wire/urls.ts'

export interface SourcePatterns {
  /** `path` is a normalised site path with its query. */
  allowsLocal(path: string): boolean
  /** Whether an API path, below basePath, may be a source. */
  opensApi(path: string): boolean
  /** The host of the first pattern that allows the URL, as written in the config; undefined when no pattern does. */
  allowingRemote(url: URL): string | undefined
}

/** Compiles both lists. Without `localPatterns` every path is allowed; without `remotePatterns` no URL is. */
export function createSourcePatterns(settings: ImageSettings, basePath: string): SourcePatterns {
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
  return {
    allowsLocal(path) {
      const { pathname, search } = new URL(path, 'http://site.invalid')
      if (!local || (pathname.startsWith(imported) && search === '')) return true
      const below = stripBasePath(pathname, basePath) ?? ''
      // SECURITY: only a pattern that names an API handler may allow the handler, not a wide pattern next to it.
      const isApi = isApiPath(below)
      return local.some(
        (pattern) =>
          (!isApi || pattern.opensApi(below)) && pattern.matches(pathname) && (pattern.search ?? search) === search,
      )
    },
    opensApi: createApiSources(settings.localPatterns, basePath),
    allowingRemote: (url) => remote.find(({ matches }) => matches(url))?.hostname,
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
