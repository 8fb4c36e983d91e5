// Which paths the site's middleware guards (X15).

import type { Manifest, MiddlewareMatcher } from '../build-output.ts'
import type { Locales } from '../locales/locales.ts'
import { type HasFacts, NO_FACTS } from '../patterns/conditions.ts'
import { createRuleIndex } from '../patterns/rule-index.ts'
import { canonicalPath, stripBasePath } from '../routing/urls.ts'

/** Whether middleware runs for a path, which is raw and below basePath. */
type IsGuarded = (path: string, facts: HasFacts) => boolean

/**
 * Compiles the matchers once. In a site with locales a matcher fits the path in each locale; one with `locale: false` is
 * compared with the path and its prefix.
 */
export function createMatchers(matchers: readonly MiddlewareMatcher[], i18n?: Locales): IsGuarded {
  const folded = createRuleIndex(matchers, i18n)
  const exact = createRuleIndex(matchers, i18n, true)
  const fits = (path: string, facts: HasFacts) => {
    for (const _match of folded.matches(path, path, facts)) return true
    // SECURITY: a pattern that excludes `/public` must not exclude the page `/PUBLIC`.
    if (/[A-Z]|%[45][0-9A-Fa-f]/.test(path)) for (const _match of exact.matches(path, path, facts)) return true
    return false
  }
  return (path, facts) => {
    if (fits(path, facts)) return true
    const loose = loosePath(path)
    return loose !== path && fits(loose, facts)
  }
}

/**
 * Whether middleware may run for a path with basePath, by the paths of the matchers alone; undefined for a site without
 * middleware.
 */
export function createAnyGuarded({
  basePath,
  i18n,
  middleware,
}: Pick<Manifest, 'basePath' | 'i18n' | 'middleware'>): ((pathname: string) => boolean) | undefined {
  if (!middleware) return undefined
  const isGuarded = createMatchers(
    middleware.matchers.map(({ has, missing, ...path }) => path),
    i18n,
  )
  return (pathname) => isGuarded(stripBasePath(pathname, basePath) ?? pathname, NO_FACTS)
}

/**
 * SECURITY: the path as a server reads it that takes an encoded slash or a backslash for a slash, or that drops what
 * follows a semicolon in a segment: files, handlers and other hosts behind a rewrite may be such servers.
 */
function loosePath(path: string): string {
  if (!/[;\\]|%(?:2f|5c|3b)/i.test(path)) return path
  const loose = path.replace(/%2f|%5c|\\/gi, '/').replace(/(?:;|%3b)[^/]*/gi, '')
  const canonical = canonicalPath(loose, false)
  return canonical.kind === 'redirect' ? canonical.pathname : loose
}
