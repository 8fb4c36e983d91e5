// Redirects that lead a client to the screen for 404.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { didYouMean } from '@portico/shared/wire/nearest-name.ts'
import type { HasFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { createTargetResolver } from '@portico/shared/wire/routing/resolve-page.ts'

type Tables = Pick<
  Manifest,
  'redirects' | 'rewrites' | 'pages' | 'apiRoutes' | 'publicFiles' | 'middleware' | 'i18n' | 'semantics'
>

/** A path of this site without parameters. */
const FIXED = /^\/(?!\/)[^:*(]*$/

/**
 * A line for each redirect to a path at which the site has nothing. None where rewrites, middleware or locales may have
 * something at any path, and none with `lostRedirects`.
 */
export function lostRedirects(manifest: Tables): string[] {
  const { redirects, rewrites, middleware, i18n, semantics, pages } = manifest
  if (rewrites.length > 0 || middleware || i18n || semantics.lostRedirects) return []
  const resolve = createTargetResolver(manifest)
  const sources = new Set(redirects.map(({ source }) => source))
  return redirects.flatMap(({ source, destination, basePath }) => {
    const [path = ''] = destination.split(/[?#]/)
    const pathname = path === '/' ? path : path.replace(/\/$/, '')
    if (basePath === false || !FIXED.test(pathname) || sources.has(pathname)) return []
    if (resolve(pathname, '', NO_FACTS).kind !== 'no-match') return []
    const patterns = pages.map(({ pattern }) => pattern)
    const rule = `"${source}" leads to ${destination}, which is no page, file or API handler of the site`
    return [`redirects: ${rule}${didYouMean(pathname, patterns)}`]
  })
}

/** Of no request: only rules of rewrites read them. */
const NO_FACTS: HasFacts = { header: () => undefined, cookie: () => undefined, query: () => undefined, host: () => '' }
