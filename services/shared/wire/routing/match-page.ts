// The page of a path, where pages with `fallback: false` have the paths only that getStaticPaths has listed during the build
// (X9).

import type { PageEntry } from '../build-output.ts'
import { paramsKey } from './page-key.ts'
import { matchRoute, prepareRoutes, type RouteMatch, type RouteTree } from './routes.ts'

/** Finds the first page in the order of R2 that has the path; where none has it, the first that fits is `isUnlisted`. */
export function createPageMatcher(pages: readonly Pick<PageEntry, 'pattern' | 'listed'>[]) {
  const all = prepareRoutes(pages)
  const keys = new Map(pages.flatMap(({ pattern, listed }) => (listed ? [[pattern, new Set(listed)]] : [])))
  /** By the patterns that they leave out, each of which fits a path better than the next one. */
  const others = new Map<string, RouteTree>()
  const without = (patterns: readonly string[]): RouteTree => {
    const key = patterns.join()
    const tree = others.get(key) ?? prepareRoutes(pages.filter(({ pattern }) => !patterns.includes(pattern)))
    others.set(key, tree)
    return tree
  }
  return (pathname: string, locale: string | undefined): RouteMatch & { isUnlisted?: true } => {
    const first = matchRoute(all, pathname)
    const passed: string[] = []
    let found = first
    while (found.kind === 'match') {
      const { pattern, params } = found
      if (keys.get(pattern)?.has(paramsKey(pattern, params, locale)) ?? true) return found
      passed.push(pattern)
      found = matchRoute(without(passed), pathname)
    }
    return first.kind === 'match' ? { ...first, isUnlisted: true } : first
  }
}
