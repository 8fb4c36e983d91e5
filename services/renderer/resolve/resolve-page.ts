// From a path to a page: rewrites of portico.config.ts, then the prepared route tree (R2, R7).

import type { Manifest, PageEntry, RewriteRule } from '@portico/shared/wire/build-output.ts'
import {
  type CompiledPattern,
  compilePattern,
  fillDestination,
  type HasFacts,
  hasAll,
  matchPattern,
} from '@portico/shared/wire/routing/path-patterns.ts'
import { matchRoute, prepareRoutes, type RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'

export type Resolved =
  | { kind: 'page'; entry: PageEntry; params: RouteParams; pathname: string; search: string }
  | { kind: 'no-match' }
  | { kind: 'malformed' }

export type ResolvePage = (pathname: string, search: string, facts: HasFacts) => Resolved

/** Prepares all rules once. Pathnames are raw and below basePath. */
export function createPageResolver(manifest: Pick<Manifest, 'pages' | 'rewrites'>): ResolvePage {
  const tree = prepareRoutes(manifest.pages)
  const entries = new Map(manifest.pages.map((entry) => [entry.pattern, entry]))
  const rewrites = manifest.rewrites.map((rule) => ({ rule, pattern: compilePattern(rule.source) }))

  const match = (pathname: string, search: string): Resolved => {
    const found = matchRoute(tree, pathname)
    if (found.kind !== 'match') return found
    return { kind: 'page', entry: entries.get(found.pattern)!, params: found.params, pathname, search }
  }

  return (pathname, search, facts) => {
    const direct = match(pathname, search)
    // As in the Pages Router: pages of a fixed path win over rewrites, rewrites over dynamic routes.
    if (direct.kind === 'malformed' || (direct.kind === 'page' && !direct.entry.pattern.includes('['))) return direct
    for (const { rule, pattern } of rewrites) {
      const target = applyRewrite(rule, pattern, pathname, facts)
      if (!target) continue
      const rewritten = splitTarget(target)
      return match(rewritten.pathname, joinSearch(rewritten.search, search))
    }
    return direct
  }
}

function applyRewrite(
  rule: RewriteRule,
  pattern: CompiledPattern,
  pathname: string,
  facts: HasFacts,
): string | undefined {
  const params = matchPattern(pattern, pathname)
  return params && hasAll(rule.has, facts) ? fillDestination(rule.destination, params) : undefined
}

function joinSearch(first: string, second: string): string {
  if (first === '' || second === '') return first || second
  return `${first}&${second.slice(1)}`
}
