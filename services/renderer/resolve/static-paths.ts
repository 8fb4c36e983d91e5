// Runs getStaticPaths: which paths of a dynamic page exist, and how requests for other paths are served (D2).

import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import { splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { pagePath } from '@portico/shared/wire/routing/page-path.ts'
import { fillPattern, matchRoute, prepareRoutes, type RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { PageRequest } from '../render/outcome.ts'
import { keyOf, type ListedPath, type PageIdentity } from '../render/page-identity.ts'
import { contextOf, type RenderDeps } from '../render/render-deps.ts'
import { withinLimit } from './data-functions.ts'

interface Paths {
  listed: ListedPath[]
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
    async verdict({ entry, params, locale }: PageIdentity & { entry: PageEntry }, request: PageRequest) {
      if (entry.data !== 'static' || !entry.pattern.includes('[')) return 'render'
      const key = keyOf({ entry, params, locale })
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
    /** Known paths, of pages that the build has rendered the first ones; one for each locale without segments. */
    async known(entry: PageEntry, request: PageRequest): Promise<ListedPath[]> {
      if (!entry.pattern.includes('[')) return pathsOfFixed(deps.manifest)
      const built = deps.prerendered?.pathsOf(entry.pattern)
      if (built) return built.first
      return (entry.data === 'static' ? (await load(entry, request))?.listed : undefined) ?? []
    },
  }
}

/** A page without segments exists in every locale. */
export function pathsOfFixed({ i18n }: Pick<Manifest, 'i18n'>): ListedPath[] {
  return i18n ? i18n.locales.map((locale) => ({ params: {}, locale })) : [{ params: {} }]
}

async function callGetStaticPaths(
  deps: RenderDeps,
  entry: PageEntry,
  request: PageRequest,
): Promise<Paths | undefined> {
  const module = await deps.bundle.pages[entry.pattern]!()
  const { getStaticPaths } = module
  const { i18n } = deps.manifest
  if (!getStaticPaths) return undefined
  const work = new AbortController()
  const context = contextOf(deps, { ...request, signal: work.signal }, 'static-page', entry.pattern)
  const call = { route: entry.pattern, name: 'getStaticPaths', work, timeoutMs: deps.dataTimeoutMs }
  const returned = await deps.bundle.runWithContext(context, () =>
    withinLimit(call, () => getStaticPaths({ locales: i18n && [...i18n.locales], defaultLocale: i18n?.defaultLocale })),
  )
  return parsePaths(returned, entry.pattern, i18n)
}

function parsePaths(returned: unknown, pattern: string, i18n: Manifest['i18n']): Paths {
  const { paths, fallback } = (returned ?? {}) as { paths?: unknown; fallback?: unknown }
  if (!Array.isArray(paths) || !(typeof fallback === 'boolean' || fallback === 'blocking'))
    throw new Error(`getStaticPaths of ${pattern} must return { paths: […], fallback: true | false | 'blocking' }`)
  const tree = prepareRoutes([{ pattern }])
  const listed = paths.map((given: unknown): ListedPath => {
    const { path, ...own } = pathIn(given, pattern, i18n)
    const match = matchRoute(tree, path)
    if (match.kind !== 'match')
      throw new Error(`getStaticPaths of ${pattern}: the path ${JSON.stringify(given)} does not match the pattern`)
    return { params: match.params, ...own }
  })
  return { listed, keys: new Set(listed.map((each) => keyOf({ entry: { pattern }, ...each }))), fallback }
}

/** The path without its locale, and the locale: that of the text or of the member `locale`, else the default one. */
function pathIn(given: unknown, pattern: string, i18n: Manifest['i18n']): { path: string; locale?: string } {
  const path = typeof given === 'string' ? pagePath(given) : pathOfParams(given, pattern)
  const named = typeof given === 'object' ? (given as { locale?: unknown } | null)?.locale : undefined
  if (!i18n) return { path }
  if (typeof given === 'string') {
    const { pathname, locale } = splitLocale(i18n, path)
    return { path: pathname, locale }
  }
  const locale = named === undefined || named === '' ? i18n.defaultLocale : named
  if (i18n.locales.includes(locale as string)) return { path, locale: locale as string }
  throw new Error(
    `getStaticPaths of ${pattern}: locale=${JSON.stringify(locale)} is no locale of i18n; locales: ${i18n.locales.join(', ')}`,
  )
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
