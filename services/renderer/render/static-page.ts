// A page that is the same for all clients (D2, D5): which of its paths exist (getStaticPaths), the request without a client for
// which it is rendered, and its render, data function and tree, into an entry of the page cache.

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { DeferredProps, RequestContext } from '@portico/shared/wire/bundles.ts'
import { SHARED_RENDER_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { type ControlFlow, controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import type { FeedPosition } from '@portico/shared/wire/invalidation.ts'
import { localeNames, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { pagePath } from '@portico/shared/wire/routing/page-path.ts'
import { fillPattern, matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { canonicalPath } from '@portico/shared/wire/routing/urls.ts'
import type { CachedOutcome, CachedPage, CacheEntry } from '../cache/cache.ts'
import { contextOf, createErrorLog, entryOf, hydrationOf, NO_FILES, type RenderDeps } from '../context/context.ts'
import {
  addressOf,
  keyOf,
  type PageIdentity,
  type PageRequest,
  UnfinishedRender,
  warmRequest,
} from '../outcome/outcome.ts'
import type { ListedPath } from '../prerendered/prerendered.ts'
import { draftMembers, paramsOf, previewMarkOf } from './data-arguments.ts'
import { callDataFunction, type DataResult, withinLimit } from './data-functions.ts'
import { allLines, type DeferredValues, formatPage, openStoredProps } from './deferred-props.ts'
import { policyOf, renderThroughBundle } from './document.ts'
import { withSharedAppProps } from './initial-props.ts'
import { refuseHuge } from './page-outcomes.ts'

/** A page that is the same for all clients, with the values of its route. */
export interface StaticPage {
  entry: PageEntry
  params: RouteParams
  /** In a site with locales (X14). */
  locale?: string | undefined
  /** 404 for the screen of paths without a page, which receives the status as `_error` does (R5). */
  status?: number
}

/**
 * As in Next.js: `build` during the build, `on-demand` after revalidatePath or revalidateTag, else `stale`, for the first
 * render, too.
 */
export type StaticRender = StaticPage & { reason: 'build' | 'on-demand' | 'stale' }

/** A render for all clients must end, even if a data function or a suspended part never does. */
export async function renderInTime(deps: RenderDeps, page: StaticRender, request: PageRequest): Promise<CacheEntry> {
  const timeoutMs = deps.renderTimeoutMs ?? SHARED_RENDER_TIMEOUT_MS
  const work = new AbortController()
  const late = () => work.abort(new UnfinishedRender(`${page.entry.pattern} took longer than ${timeoutMs} ms`))
  const timer = setTimeout(late, timeoutMs)
  const tasks = deps.after.begin(request.requestId)
  try {
    return await renderEntry(deps, page, { ...request, signal: work.signal, after: tasks.add }, work)
  } finally {
    clearTimeout(timer)
    // The caller stores the entry first.
    setImmediate(tasks.start)
  }
}

async function renderEntry(
  deps: RenderDeps,
  page: StaticRender,
  request: PageRequest,
  work: AbortController,
): Promise<CacheEntry> {
  const usedTags = new Set<string>()
  const context = Object.assign(contextOf(deps, request, 'static-page', page.entry.pattern), { usedTags })
  return deps.bundle.runWithContext(context, async () => {
    const result = await staticData(deps, page, request, { work, requestContext: context })
    const freshForMs = result.revalidateSeconds === undefined ? undefined : result.revalidateSeconds * 1000
    const entry = (outcome: CachedOutcome): CacheEntry => ({
      outcome,
      storedAt: deps.now(),
      freshForMs,
      tags: [...new Set([...result.tags, ...usedTags])],
    })
    if (result.kind !== 'props') return entry(withoutPage(result, page))
    try {
      return entry(await renderCached(deps, page, request, result))
    } catch (thrown) {
      const flow = controlFlowOf(thrown)
      if (!flow) throw thrown
      return entry(withoutPage(flow, page))
    }
  })
}

/** The outcome of control flow. Throws for a refusal: this render has no client that it could be meant for. */
function withoutPage(flow: ControlFlow, { entry: { pattern } }: StaticPage): CachedOutcome {
  switch (flow.kind) {
    case 'not-found':
      return { kind: 'not-found' }
    case 'redirect':
      return { kind: 'redirect', location: flow.location, status: flow.status }
    case 'refused':
      throw new Error(
        `${flow.status === 401 ? 'unauthorized()' : 'forbidden()'} was called for ${pattern}, which is rendered once for all visitors; use getServerSideProps there.`,
      )
  }
}

async function staticData(
  deps: RenderDeps,
  { entry, params, locale, status, reason }: StaticRender,
  { url, draft }: PageRequest,
  run: { work: AbortController; requestContext: RequestContext },
): Promise<DataResult> {
  if (entry.data !== 'static') {
    const props = status === undefined ? {} : { statusCode: status }
    return { kind: 'props', props, revalidateSeconds: undefined, tags: [] }
  }
  const module = await deps.bundle.pages[entry.pattern]!()
  if (!module.getStaticProps) throw new Error(`${entry.pattern}: the bundle has no getStaticProps`)
  return callDataFunction({
    route: entry.pattern,
    name: 'getStaticProps',
    run: withSharedAppProps(
      deps,
      { route: entry.pattern, params, locale, props: {}, status: status ?? 200, url },
      module.getStaticProps,
    ),
    ...run,
    timeoutMs: deps.dataTimeoutMs,
    context: {
      ...paramsOf(deps.manifest, { entry, params }),
      revalidateReason: reason,
      ...localeNames(deps.manifest.i18n, locale),
      ...draftMembers(draft),
    },
    mark: previewMarkOf(deps.manifest.semantics, draft),
    // An entry has no failed part: the failure is that of the page.
    failureOf: () => ({ digest: '' }),
  })
}

/** Renders the document of a stored page again: with other public values than those of its first render. */
export async function renderStored(
  deps: RenderDeps,
  page: StaticPage,
  request: PageRequest,
  data: Buffer,
): Promise<CachedPage> {
  // formatPage wrote this JSON.
  const stored = openStoredProps(JSON.parse(data.toString('utf8')) as Parameters<typeof openStoredProps>[0])
  const limited = { ...request, signal: AbortSignal.timeout(deps.renderTimeoutMs ?? SHARED_RENDER_TIMEOUT_MS) }
  return deps.bundle.runWithContext(contextOf(deps, limited, 'static-page', page.entry.pattern), () =>
    renderCached(deps, page, limited, stored),
  )
}

interface PageProps {
  props: Record<string, unknown>
  deferred?: DeferredProps & Partial<Pick<DeferredValues, 'failed'>>
}

async function renderCached(
  deps: RenderDeps,
  page: StaticPage,
  request: PageRequest,
  { props, deferred }: PageProps,
): Promise<CachedPage> {
  const { entry, params, locale, status = 200 } = page
  const lines = deferred && (await allLines(deferred))
  if (deferred?.failed) throw deferred.failed.error
  const json = formatPage({ route: entry.pattern, params }, deferred?.json ?? JSON.stringify(props), lines)
  refuseHuge(json, entry.pattern)
  const data = bytesOf(json)
  const route = shownRoute(deps, entry)
  const hydration = hydrationOf(deps, { route, params, props, status, locale, url: request.url })
  const result = await renderThroughBundle(deps, hydration, {
    whole: true,
    signal: request.signal,
    onError: createErrorLog(deps, entry.pattern, request),
    deferred,
  })
  if (result.kind !== 'html') throw new Error(`${entry.pattern}: a cached page cannot be streamed`)
  if (result.incomplete)
    throw new UnfinishedRender(
      `${entry.pattern}: a part of the page failed; a page for all clients is cached only without failures`,
    )
  const html = bytesOf(result.html)
  const policy = policyOf(deps, entry.pattern, result)
  return { kind: 'page', html, htmlEtag: entityTag(html), data, dataEtag: entityTag(data), policy }
}

/** The screen for paths without a page. */
export function notFoundScreen({ manifest }: RenderDeps, locale: string | undefined): StaticPage {
  const entry: PageEntry = entryOf(manifest, '/404') ?? { pattern: '/404', file: '', data: 'none', files: NO_FILES }
  return { entry, params: {}, locale, status: 404 }
}

/** The route that the router has: a screen of paths without a page that `_error` makes is `_error`; so may be the default one. */
export function shownRoute({ manifest }: RenderDeps, { pattern, file }: PageEntry): string {
  const errorFile = file === '' ? manifest.semantics.errorRoute && '' : entryOf(manifest, '/_error')?.file
  const isError = pattern === '/404' && file === errorFile
  return isError ? '/_error' : pattern
}

/** In memory of their own: a kept slice of the pool of node:buffer, where short texts go, keeps all of the pool. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/**
 * SECURITY: a page for all clients is rendered without any data of the client whose request started the render: no
 * query, cookie, header or host can poison the entry, and the end of the request does not end the render.
 */
export function sharedRequest(
  { manifest, publicOrigin }: RenderDeps,
  page: StaticPage,
  requestId: string,
  needed: FeedPosition,
): PageRequest {
  const pathname = addressOf(manifest, page)
  const url = urlOf(pathname, manifest)
  return { ...warmRequest(publicOrigin), requestId, url, pathname, inner: needed }
}

/** The address in the client's address bar: the browser compares the two. */
function urlOf(pathname: string, { basePath, trailingSlash }: RenderDeps['manifest']): string {
  if (pathname === '/' && basePath !== '' && !trailingSlash) return basePath
  const path = canonicalPath(pathname, trailingSlash)
  return basePath + (path.kind === 'redirect' ? path.pathname : pathname)
}

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
