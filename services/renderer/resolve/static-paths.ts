// Runs getStaticPaths: which paths of a dynamic page exist, and how requests for other paths are served (D2).

import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import { paramsKey } from '@portico/shared/wire/routing/page-key.ts'
import { pagePath } from '@portico/shared/wire/routing/page-path.ts'
import { fillPattern, matchRoute, prepareRoutes, type RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { PageRequest } from '../render/outcome.ts'
import { contextOf, type RenderDeps } from '../render/render-deps.ts'
import { withinLimit } from './data-functions.ts'

export interface Paths {
  params: RouteParams[]
  keys: ReadonlySet<string>
  fallback: boolean | 'blocking'
}

export function createStaticPaths(deps: RenderDeps) {
  const pathsByPattern = new Map<string, Promise<Paths | undefined>>()

  const load = (entry: PageEntry, request: PageRequest): Promise<Paths | undefined> => {
    const kept = pathsByPattern.get(entry.pattern)
    if (kept) return kept
    const loading = callGetStaticPaths(deps, entry, request).catch((error: unknown) => {
      pathsByPattern.delete(entry.pattern)
      throw error
    })
    pathsByPattern.set(entry.pattern, loading)
    return loading
  }

  return {
    /** `render`: known or rendered on demand; `fallback`: show the shell first. */
    async verdict({ entry, params }: { entry: PageEntry; params: RouteParams }, request: PageRequest) {
      if (entry.data !== 'static' || !entry.pattern.includes('[')) return 'render'
      const key = paramsKey(entry.pattern, params)
      const built = deps.prerendered?.pathsOf(entry.pattern)
      if (built?.fallback === 'blocking') return 'render'
      const isKnown = built && (await deps.prerendered?.isKnown(key))
      if (isKnown) return 'render'
      if (built && isKnown === false) return built.fallback ? 'fallback' : 'not-found'
      const paths = await load(entry, request)
      if (!paths || paths.fallback === 'blocking' || paths.keys.has(key)) return 'render'
      return paths.fallback ? 'fallback' : 'not-found'
    },
    /** What getStaticPaths returns; undefined for a page without it. */
    async listed(entry: PageEntry, request: PageRequest): Promise<Paths | undefined> {
      return entry.data === 'static' && entry.pattern.includes('[') ? load(entry, request) : undefined
    },
    /** Params of known paths, of pages that the build has rendered the first ones; one empty set without segments. */
    async known(entry: PageEntry, request: PageRequest): Promise<RouteParams[]> {
      if (!entry.pattern.includes('[')) return [{}]
      const built = deps.prerendered?.pathsOf(entry.pattern)
      if (built) return built.first
      return (entry.data === 'static' ? (await load(entry, request))?.params : undefined) ?? []
    },
  }
}

async function callGetStaticPaths(
  deps: RenderDeps,
  entry: PageEntry,
  request: PageRequest,
): Promise<Paths | undefined> {
  const module = await deps.bundle.pages[entry.pattern]!()
  const { getStaticPaths } = module
  if (!getStaticPaths) return undefined
  const work = new AbortController()
  const context = contextOf(deps, { ...request, signal: work.signal }, 'static-page', entry.pattern)
  const call = { route: entry.pattern, name: 'getStaticPaths', work, timeoutMs: deps.dataTimeoutMs }
  const returned = await deps.bundle.runWithContext(context, () =>
    withinLimit(call, () => getStaticPaths({ locales: undefined, defaultLocale: undefined })),
  )
  return parsePaths(returned, entry.pattern)
}

function parsePaths(returned: unknown, pattern: string): Paths {
  const { paths, fallback } = (returned ?? {}) as { paths?: unknown; fallback?: unknown }
  if (!Array.isArray(paths) || !(typeof fallback === 'boolean' || fallback === 'blocking'))
    throw new Error(`getStaticPaths of ${pattern} must return { paths: […], fallback: true | false | 'blocking' }`)
  const tree = prepareRoutes([{ pattern }])
  const params = paths.map((path: unknown): RouteParams => {
    const match = matchRoute(tree, typeof path === 'string' ? pagePath(path) : pathOfParams(path, pattern))
    if (match.kind !== 'match')
      throw new Error(`getStaticPaths of ${pattern}: the path ${JSON.stringify(path)} does not match the pattern`)
    return match.params
  })
  return { params, keys: new Set(params.map((each) => paramsKey(pattern, each))), fallback }
}

/** Derives params from their path, so that they equal the params of a request for the path. */
function pathOfParams(path: unknown, pattern: string): string {
  const { params } = (path ?? {}) as { params?: unknown }
  if (typeof params !== 'object' || params === null)
    throw new Error(`getStaticPaths of ${pattern}: each path must be a string or { params }`)
  // The Pages Router accepts null and false for an optional catch-all without segments.
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== false)
  try {
    // fillPattern checks the params and names the rule.
    return fillPattern(pattern, Object.fromEntries(given) as RouteParams)
  } catch (error) {
    throw new Error(`getStaticPaths of ${(error as Error).message}`, { cause: error })
  }
}
