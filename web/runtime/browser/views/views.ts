// Loads the view of an address: route, code, stylesheets and data, from the prefetch cache where possible.
// Guarantees: a view is complete when it is returned, of the build of this page and under the policy of its document; a load
// that fails has a reason, with which the router loads the document instead.
// Leaves history, focus and the order of navigations to navigation.

import type { BrowserManifest } from '@portico/shared/wire/build-output.ts'
import { splitLocale } from '@portico/shared/wire/locales/locales.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { matchRoute, prepareRoutes, type RouteTree } from '@portico/shared/wire/routing/routes.ts'
import { splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { ViewProps } from '../../react/page-types.ts'
import { addressIn } from '../../react/router-context.ts'
import { defaultScreen } from '../../react/screens.tsx'
import { errorHost } from '../hosts.ts'
import type { PageComponent, ReceivedData, RoutePage, View } from '../view.ts'
import { type FetchData, openPage, type PrefetchPriority, pageDataUrl, withoutHash } from './fetch-page-data.ts'
import { RouteLoadError, type RouteLoader } from './load-route.ts'
import type { Prefetcher } from './prefetch.ts'
import { viewProps } from './view-props.ts'

export { createDataFetcher, type PrefetchPriority, pageDataUrl, withoutHash } from './fetch-page-data.ts'
export { createRouteLoader, RouteLoadError, type RouteLoader } from './load-route.ts'
export { appliedStyles, applyStyles, startStyles, stylesOf } from './page-styles.ts'
export { createLinks, createPrefetcher } from './prefetch.ts'

interface ViewLoaderDeps {
  basePath: string
  trailingSlash: boolean
  buildId: string
  /** The route of the document. */
  documentRoute: string
  loader: RouteLoader
  fetchData: FetchData
  prefetcher: Prefetcher
}

export type LoadedView =
  /** `isStale`: from an old prefetched entry, to be fetched again behind the view. */
  | { kind: 'view'; view: View; isStale: boolean }
  /** With basePath where the location is a path of this site. */
  | { kind: 'redirect'; location: string }

export interface ViewLoader {
  /** The view of an address whose code, stylesheets and data were all prefetched. */
  ready(url: string): { view: View; isStale: boolean } | undefined
  /**
   * Rejects with RouteLoadError where the browser must load the address in full (N5). `address`: that of the address bar,
   * where it is not the URL of the page.
   */
  load(url: string, signal: AbortSignal, address?: string): Promise<LoadedView>
  /** The view of data for the page shown. */
  apply(data: ReceivedData, shown: View): Promise<LoadedView>
  /** Fresh data of an address; undefined when the data cannot be fetched. A caller ignores data that it no longer needs. */
  fetch(url: string): Promise<ReceivedData | undefined>
  prefetch(url: string, priority: PrefetchPriority): Promise<void>
  /** The pattern of the page of an address; undefined before the routes are known, and without a page. */
  routeOf(url: string): string | undefined
  /** Drops prefetched data of an address. */
  drop(url: string): void
}

export function createViewLoader(deps: ViewLoaderDeps): ViewLoader {
  const { basePath, buildId, documentRoute, loader, fetchData, prefetcher } = deps
  let routes: Routes | undefined

  const dataAddress = (url: string) => pageDataUrl(basePath, buildId, url)

  /** A policy comes into force with a document only (G6). */
  const isUnder = (policy: number | undefined) => policy === (routes && pageIn(routes.manifest, documentRoute)?.policy)

  const entryOf = async (url: string, priority?: RequestPriority) => {
    const manifest = await loader.manifest(priority)
    routes ??= { manifest, tree: prepareRoutes(manifest.pages) }
    return entryIn(routes, url, basePath)
  }

  /** A path without a page that middleware may serve: its data names the page, or where the browser goes instead. */
  const guardedView = async (url: string, signal: AbortSignal): Promise<LoadedView | undefined> => {
    if (!routes || !isGuarded(routes.manifest, url, basePath)) return undefined
    const result = await fetchData(dataAddress(url), { signal, retry: false })
    if (result.kind !== 'data' || (result.data.kind !== 'page' && result.data.kind !== 'redirect')) return undefined
    return toView(deps, result.data, url)
  }

  const requireData = async (url: string, isServerPage: boolean, signal: AbortSignal): Promise<ReceivedData> => {
    // Next.js loads the document after the first 500.
    const result = await fetchData(dataAddress(url), { signal, retry: isServerPage && !viewProps })
    if (result.kind === 'data') return result.data
    // No page responds: a rewrite leads to a file, to a handler or to another host, as a plain link does.
    const isElsewhere = result.status === 404 && result.reason === 'content-type'
    throw Object.assign(new RouteLoadError(isElsewhere ? 'no-route' : `data-${result.reason}`), {
      ...(result.digest && { digest: result.digest }),
    })
  }

  return {
    ready(url) {
      const entry = routes && entryIn(routes, url, basePath)
      const kept = prefetcher.take(withoutHash(url))
      if (!entry || !isUnder(entry.policy) || !kept || kept instanceof Promise) return undefined
      const { data, isFresh } = kept
      if (data.kind !== 'page' || data.route !== entry.pattern) return undefined
      const page = loader.ready(entry.files)
      if (!page) return undefined
      prefetcher.abortOthers(withoutHash(url))
      prefetcher.used(withoutHash(url))
      const { route, params, props } = data
      return { view: viewOf({ route, params, props, ...page, url }), isStale: !isFresh }
    },
    async load(url, signal, address = url) {
      prefetcher.abortOthers(withoutHash(url))
      const entry = await entryOf(url)
      // In place of another address (`as`): how pages of Next.js show that nothing is there.
      if (address !== url && splitTarget(url).pathname.endsWith('/_error'))
        return screenView(deps, '/_error', { statusCode: 404 }, url)
      if (!entry) {
        const view = process.env.PORTICO_REWRITES ? await guardedView(url, signal) : undefined
        if (view) return view
        throw new RouteLoadError('no-route')
      }
      if (!isUnder(entry.policy)) throw new RouteLoadError('policy')
      // Code and data are fetched at the same time.
      const page = loader.load(entry.files)
      page.catch(() => {})
      if (viewProps && entry.data === 'initial')
        return initialView(deps, viewProps, { ...entry, Page: (await page).Page, page, url, address })
      const kept = await prefetcher.take(withoutHash(url))
      prefetcher.used(withoutHash(url))
      const data = kept?.data ?? (await requireData(url, entry.data === 'server', signal))
      const loaded = await toView(deps, data, url, { pattern: entry.pattern, page })
      return loaded.kind === 'view' ? { ...loaded, isStale: kept?.isFresh === false } : loaded
    },
    async apply(data, shown) {
      const guess = { pattern: shown.route, page: Promise.resolve({ Page: shown.Page, styles: shown.styles }) }
      return toView(deps, await openPage(data), shown.url, guess)
    },
    async fetch(url) {
      const result = await fetchData(dataAddress(url), { signal: new AbortController().signal, retry: true })
      return result.kind === 'data' ? result.data : undefined
    },
    async prefetch(url, priority) {
      const entry = await entryOf(url, priority === 'view' ? 'low' : 'auto')
      if (!entry || !isUnder(entry.policy)) return
      loader.prefetch(entry.files, priority === 'intent')
      const isEarly = priority === 'intent' || entry.data !== 'server'
      if (isEarly && entry.data !== 'initial') prefetcher.request(withoutHash(url), priority)
    },
    routeOf: (url) => routes && entryIn(routes, url, basePath)?.pattern,
    drop: (url) => prefetcher.drop(withoutHash(url)),
  }
}

/** The page of the route that the address suggests. */
interface Guess {
  pattern: string
  page: Promise<RoutePage>
}

interface InitialTarget extends Guess {
  Page: PageComponent
  params: RouteParams
  url: string
  address: string
}

/** The view of a page whose props its own code makes here (X11). */
async function initialView(deps: ViewLoaderDeps, { load }: ViewProps, target: InitialTarget): Promise<LoadedView> {
  const { pattern: route, url } = target
  try {
    return await toView(deps, await load({ ...target, route, basePath: deps.basePath }), url, target)
  } catch (error) {
    if (error instanceof RouteLoadError) throw error
    console.error(error)
    if (process.env.PORTICO_ERRORS) void errorHost.report?.(error, { kind: 'navigation', route })
    return screenView(deps, '/_error', {}, url, error)
  }
}

async function toView(deps: ViewLoaderDeps, data: ReceivedData, url: string, guess?: Guess): Promise<LoadedView> {
  if (data.kind === 'redirect') return { kind: 'redirect', location: addressIn(deps, data.location) }
  if (data.kind === 'not-found') return screenView(deps, '/404', { statusCode: 404 }, url)
  if (data.kind === 'refused') return screenView(deps, '/_error', { statusCode: data.status }, url)
  if (data.kind !== 'page') throw new RouteLoadError('data-status')
  const { route, params, props, close } = data
  // A rewrite may lead to another page than the address suggests.
  const page = guess && route === guess.pattern ? await guess.page : await deps.loader.load(await filesOf(deps, route))
  const view = viewOf({ route, params, props, ...page, url, ...(close && { close }) })
  return { kind: 'view', view, isStale: false }
}

async function screenView(
  { loader, basePath }: ViewLoaderDeps,
  route: '/404' | '/_error',
  props: Record<string, unknown>,
  url: string,
  error?: unknown,
): Promise<LoadedView> {
  const screen = (await loader.manifest()).screens.find(({ pattern }) => pattern === route)
  // Its data comes with the document, as for an address that no route matches (N4).
  if (screen?.hasData) throw new RouteLoadError('no-route')
  const page = screen?.files ? await loader.load(screen.files) : { Page: defaultScreen(route), styles: [] }
  // As in Next.js, whose default screen is that of all statuses.
  const place = { route: viewProps && !screen?.files ? '/_error' : route, params: {}, url }
  const own = await viewProps?.ofScreen({ ...page, ...place, address: url, basePath, error })
  return { kind: 'view', view: viewOf({ ...place, props: { ...own, ...props }, ...page }), isStale: false }
}

interface Routes {
  manifest: BrowserManifest
  tree: RouteTree
}

/** The path of a URL as routes have it; undefined for a path outside of basePath. */
function pathIn(manifest: BrowserManifest, url: string, basePath: string): string | undefined {
  const path = stripBasePath(splitTarget(url).pathname, basePath)
  if (process.env.PORTICO_I18N && path !== undefined && manifest.i18n) return splitLocale(manifest.i18n, path).pathname
  return path
}

function isGuarded(manifest: BrowserManifest, url: string, basePath: string): boolean {
  const path = pathIn(manifest, url, basePath)
  // Each by itself: the patterns of matchers may contradict each other.
  const fits = (pattern: string) =>
    path !== undefined && matchRoute(prepareRoutes([{ pattern }]), path).kind === 'match'
  return manifest.guarded?.some(fits) === true
}

function entryIn({ manifest, tree }: Routes, url: string, basePath: string) {
  const path = pathIn(manifest, url, basePath)
  const match = path === undefined ? undefined : matchRoute(tree, path)
  if (match?.kind !== 'match') return undefined
  const entry = manifest.pages.find(({ pattern }) => pattern === match.pattern)
  return entry && { ...entry, params: match.params }
}

function viewOf(page: Omit<View, 'isFallback' | 'isReady'>): View {
  return { ...page, isFallback: false, isReady: true }
}

/** The files of another page than the address suggests. */
async function filesOf({ loader, documentRoute }: ViewLoaderDeps, pattern: string) {
  const manifest = await loader.manifest()
  const entry = manifest.pages.find((candidate) => candidate.pattern === pattern)
  if (!entry) throw new RouteLoadError('no-route')
  if (entry.policy !== pageIn(manifest, documentRoute)?.policy) throw new RouteLoadError('policy')
  return entry.files
}

function pageIn({ pages, screens }: BrowserManifest, route: string): { policy?: number } | undefined {
  return [...pages, ...screens].find(({ pattern }) => pattern === route)
}
