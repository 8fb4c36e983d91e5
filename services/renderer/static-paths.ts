// getStaticPaths: which paths of a dynamic page exist, and what happens to the others (D2).

import type { PageEntry } from '../shared/wire/build-output.ts'
import { fillPattern, matchRoute, prepareRoutes, type RouteParams } from '../shared/wire/routes.ts'
import { withinLimit } from './data-functions.ts'
import type { PageRequest } from './outcome.ts'
import { pagePath } from './page-path.ts'
import { contextOf, type RenderDeps } from './render-deps.ts'

export interface StaticPaths {
  /** `render`: known or made on demand; `fallback`: show the shell first. */
  verdict(
    page: { entry: PageEntry; params: RouteParams },
    request: PageRequest,
  ): Promise<'render' | 'fallback' | 'not-found'>
  /** Params of every known path; one empty set for a page without dynamic segments. */
  known(entry: PageEntry, request: PageRequest): Promise<RouteParams[]>
}

interface Paths {
  params: RouteParams[]
  keys: ReadonlySet<string>
  fallback: boolean | 'blocking'
}

export function createStaticPaths(deps: RenderDeps): StaticPaths {
  const answers = new Map<string, Promise<Paths | undefined>>()

  const load = (entry: PageEntry, request: PageRequest): Promise<Paths | undefined> => {
    const kept = answers.get(entry.pattern)
    if (kept) return kept
    const answer = askPage(deps, entry, request).catch((error: unknown) => {
      answers.delete(entry.pattern)
      throw error
    })
    answers.set(entry.pattern, answer)
    return answer
  }

  return {
    async verdict({ entry, params }, request) {
      if (entry.data !== 'static' || !entry.pattern.includes('[')) return 'render'
      const paths = await load(entry, request)
      if (!paths || paths.fallback === 'blocking' || paths.keys.has(keyOf(params))) return 'render'
      return paths.fallback ? 'fallback' : 'not-found'
    },
    async known(entry, request) {
      if (!entry.pattern.includes('[')) return [{}]
      return (entry.data === 'static' ? (await load(entry, request))?.params : undefined) ?? []
    },
  }
}

async function askPage(deps: RenderDeps, entry: PageEntry, request: PageRequest): Promise<Paths | undefined> {
  const module = await deps.bundle.pages[entry.pattern]!()
  const { getStaticPaths } = module
  if (!getStaticPaths) return undefined
  const work = new AbortController()
  const context = contextOf(deps, { ...request, signal: work.signal }, 'static-page', entry.pattern)
  const call = { route: entry.pattern, name: 'getStaticPaths', work, timeoutMs: deps.dataTimeoutMs }
  const answer = await deps.bundle.runWithContext(context, () => withinLimit(call, () => getStaticPaths()))
  return parsePaths(answer, entry.pattern)
}

function parsePaths(answer: unknown, pattern: string): Paths {
  const { paths, fallback } = (answer ?? {}) as { paths?: unknown; fallback?: unknown }
  if (!Array.isArray(paths) || !(typeof fallback === 'boolean' || fallback === 'blocking'))
    throw new Error(`getStaticPaths of ${pattern} must return { paths: […], fallback: true | false | 'blocking' }`)
  const tree = prepareRoutes([{ pattern }])
  const params = paths.map((path: unknown): RouteParams => {
    const match = matchRoute(tree, typeof path === 'string' ? pagePath(path) : pathOfParams(path, pattern))
    if (match.kind !== 'match')
      throw new Error(`getStaticPaths of ${pattern}: the path ${JSON.stringify(path)} does not match it`)
    return match.params
  })
  return { params, keys: new Set(params.map(keyOf)), fallback }
}

/** Params go by way of their path: what comes back is what the params of a visitor's path will be. */
function pathOfParams(path: unknown, pattern: string): string {
  const { params } = (path ?? {}) as { params?: unknown }
  if (typeof params !== 'object' || params === null)
    throw new Error(`getStaticPaths of ${pattern}: each path must be a string or { params }`)
  // The Pages Router takes null and false for an optional catch-all without segments.
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== false)
  try {
    // Checked by fillPattern, which says what a param must be.
    return fillPattern(pattern, Object.fromEntries(given) as RouteParams)
  } catch (error) {
    throw new Error(`getStaticPaths of ${(error as Error).message}`, { cause: error })
  }
}

function keyOf(params: RouteParams): string {
  return JSON.stringify(Object.entries(params).sort(([left], [right]) => (left < right ? -1 : 1)))
}
