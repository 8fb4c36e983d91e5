// From the path of a request to a page (C2): rewrites of portico.config.ts, then the prepared route tree (R2, R7). The
// gateway and the renderer run this one function, so that both find the same page.

import type { Manifest, PageEntry } from '../build-output.ts'
import { fillDestination, type HasFacts } from './path-patterns.ts'
import { matchRoute, prepareRoutes, type RouteParams } from './routes.ts'
import { createRuleIndex } from './rule-index.ts'
import { splitTarget } from './urls.ts'

export type Resolution =
  /** `pathname` and `search` are those after rewriting; params are percent-decoded once. */
  | { kind: 'page'; entry: PageEntry; params: RouteParams; pathname: string; search: string }
  | { kind: 'no-match' }
  /** A malformed percent sequence or %00: respond 400 (R3). */
  | { kind: 'malformed' }

/** `pathname` is raw and below basePath; `search` is empty or begins with `?`. */
export type ResolvePage = (pathname: string, search: string, facts: HasFacts) => Resolution

/** Prepares all routes and rules once. The result depends on nothing but the arguments. */
export function createPageResolver({ pages, rewrites }: Pick<Manifest, 'pages' | 'rewrites'>): ResolvePage {
  const tree = prepareRoutes(pages)
  const entries = new Map(pages.map((entry) => [entry.pattern, entry]))
  const rules = createRuleIndex(rewrites)

  const match = (pathname: string, search: string): Resolution => {
    const found = matchRoute(tree, pathname)
    if (found.kind !== 'match') return found
    return { kind: 'page', entry: entries.get(found.pattern)!, params: found.params, pathname, search }
  }

  return (pathname, search, facts) => {
    const direct = match(pathname, search)
    if (rules.isEmpty || direct.kind === 'malformed') return direct
    // As in the Pages Router: pages of a fixed path win over rewrites, rewrites over dynamic routes.
    if (direct.kind === 'page' && !direct.entry.pattern.includes('[')) return direct
    for (const { rule, params } of rules.matches(pathname, facts)) {
      const rewritten = splitTarget(fillDestination(rule.destination, params))
      return match(rewritten.pathname, joinSearch(rewritten.search, search))
    }
    return direct
  }
}

function joinSearch(first: string, second: string): string {
  if (first === '' || second === '') return first || second
  return `${first}&${second.slice(1)}`
}
