// The facts of the site for components of the framework, equal on server and browser, and the router as components see it.
// The router of the server cannot navigate.

import type { LocaleNames, Locales } from '@portico/shared/wire/locales/locales.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { isApiPath, isFilePath, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { createContext, useContext, useMemo } from 'react'
import type { Href, PageParams } from './site-types.ts'

export interface PageLocale extends Locales {
  locale: string
}

export interface SiteRuntime {
  basePath: string
  trailingSlash: boolean
  /** In a site with locales (X14): those of the site, and that of the page. */
  i18n?: PageLocale
  publicEnv: PublicValues
  images: {
    deviceSizes: readonly number[]
    imageSizes: readonly number[]
    qualities: readonly number[]
    /** `next/image` leaves every address as it is. */
    unoptimized?: true
  }
}

export const RuntimeContext = createContext<SiteRuntime | null>(null)

export function useRuntime(): SiteRuntime {
  const runtime = useContext(RuntimeContext)
  if (!runtime) throw new Error('This component must be rendered by a page of the app folder.')
  return runtime
}

/** How `push` and `replace` navigate. */
export interface NavigateOptions {
  /** false keeps the scroll position (default: top of the page or its hash). */
  scroll?: boolean
  /** Changes query and hash without a request for page data. For another path it has no effect. */
  shallow?: boolean
  /** In a site with locales: that of the target. false: the path as it is written. Default: the locale of the page. */
  locale?: string | false
}

/** The page that a navigation loads in place of that of the address bar (`as`, X2). */
export interface MaskedPage {
  /** With basePath. */
  url: string
  query: RouteParams
}

/** How the routers of `next/…` navigate. */
export interface MaskOptions extends NavigateOptions {
  from?: MaskedPage
  /** As the page gave them, for the entry of the history. */
  options?: object
}

/** The events of `router.events`, with the names and order of Next.js's Pages Router. */
export type RouterEventName =
  | 'routeChangeStart'
  | 'routeChangeComplete'
  | 'routeChangeError'
  | 'beforeHistoryChange'
  | 'hashChangeStart'
  | 'hashChangeComplete'

export interface RouterEvents {
  on(name: RouterEventName, listener: (...details: unknown[]) => void): void
  off(name: RouterEventName, listener: (...details: unknown[]) => void): void
}

export interface BeforePopState {
  url: string
  as: string
  options: NavigateOptions
}

/** The router object of Next.js's Pages Router. */
export interface Router extends LocaleNames {
  /** Pattern of the route, as in `/places/[slug]`. */
  pathname: string
  route: string
  /** Path, query and hash as in the address bar, without basePath and without the prefix of a locale. */
  asPath: string
  query: RouteParams
  basePath: string
  isFallback: boolean
  /** false while a page that is rendered once for all clients has no query: on the server and in the first view. */
  isReady: boolean
  /** Resolves with true when the page is shown, with false when another navigation replaced this one. */
  push(url: Href, as?: string, options?: NavigateOptions): Promise<boolean>
  replace(url: Href, as?: string, options?: NavigateOptions): Promise<boolean>
  back(): void
  forward(): void
  reload(): void
  prefetch(url: Href, as?: string, options?: Pick<NavigateOptions, 'locale'>): Promise<void>
  beforePopState(callback: (state: BeforePopState) => boolean): void
  events: RouterEvents
}

/** What Link needs of the browser's router; undefined on the server. */
export interface LinkHost {
  /** Navigates; false: the browser handles the click. */
  follow(href: string, options: MaskOptions & { replace?: boolean }): boolean
  /** Prefetches the target while the anchor is in view; returns the function that stops this. */
  observe(element: HTMLAnchorElement, href: string): () => void
  /** The user is about to click the link. */
  intend(href: string): void
}

export interface RouterState {
  router: Router
  /** In the browser, in a site with locales: the facts of the site in the locale of the page. */
  runtime?: SiteRuntime
  params: RouteParams
  links?: LinkHost
}

export interface NavigationState {
  state: 'idle' | 'loading'
  /** The target while loading: path, query and hash with basePath. */
  location?: string
}

export const RouterContext = createContext<RouterState | null>(null)
/** A context of its own: a pending navigation renders only the components that use it. */
export const NavigationContext = createContext<NavigationState>({ state: 'idle' })

export function useRouterState(): RouterState {
  const state = useContext(RouterContext)
  if (!state) throw new Error('This hook needs a page of the app folder around it.')
  return state
}

/**
 * Returns the router of the current page. Its methods work in the browser only. Throws outside of a page.
 *
 * @example
 * ```tsx
 * // components/back-button.tsx
 * import { useRouter } from 'portico'
 *
 * export function BackButton() {
 *   const router = useRouter()
 *   return <button type="button" onClick={() => router.back()}>Back</button>
 * }
 * ```
 */
export function useRouter(): Router {
  return useRouterState().router
}

/**
 * Returns the path of the current page, without query, hash, basePath and the prefix of a locale.
 *
 * @example
 * ```tsx
 * // components/current-mark.tsx
 * import { usePathname } from 'portico'
 *
 * export function CurrentMark({ href }: { href: string }) {
 *   return usePathname() === href ? <strong>You are here</strong> : null
 * }
 * ```
 */
export function usePathname(): string {
  const { asPath } = useRouter()
  return useMemo(() => asPath.split(/[?#]/, 1)[0] || '/', [asPath])
}

/**
 * Returns the query of the current page. In a page that is rendered once for all clients it is empty until the browser
 * takes over.
 *
 * @example
 * ```tsx
 * // components/results-heading.tsx
 * import { useSearchParams } from 'portico'
 *
 * export function ResultsHeading() {
 *   return <h2>Results for {useSearchParams().get('q')}</h2>
 * }
 * ```
 */
export function useSearchParams(): URLSearchParams {
  const { asPath } = useRouter()
  return useMemo(() => new URLSearchParams((asPath.split('#', 1)[0] ?? '').split('?').slice(1).join('?')), [asPath])
}

/**
 * Returns the route parameters of the current page, percent-decoded once: a string for `[slug]`, a list for `[...path]`.
 *
 * @example
 * ```tsx
 * // components/slug-label.tsx
 * import { useParams } from 'portico'
 *
 * export function SlugLabel() {
 *   const { slug } = useParams<{ slug: string }>()
 *   return <code>{slug}</code>
 * }
 * ```
 */
export function useParams<Params extends object = PageParams>(): Params {
  // The server matched the parameters; their names are those of files, or the author declares them.
  return useRouterState().params as Params
}

/**
 * Returns whether a navigation is in progress, and its target.
 *
 * @example
 * ```tsx
 * // components/progress.tsx
 * import { useNavigation } from 'portico'
 *
 * export function Progress() {
 *   const { state, location } = useNavigation()
 *   return state === 'loading' ? <p role="status">Loading {location} …</p> : null
 * }
 * ```
 */
export function useNavigation(): NavigationState {
  return useContext(NavigationContext)
}

/** `asPath` of a URL's path, query and hash. */
export function asPathOf(url: string, basePath: string): string {
  const mark = url.search(/[?#]/)
  const pathname = mark < 0 ? url : url.slice(0, mark)
  return (stripBasePath(pathname, basePath) ?? pathname) + (mark < 0 ? '' : url.slice(mark))
}

/** Adds basePath to a site path; leaves everything else as it is. */
export function withBasePath(href: string, basePath: string): string {
  if (basePath === '' || !href.startsWith('/') || href.startsWith('//')) return href
  return href === '/' ? basePath : basePath + href
}

/** The URL of a link or a navigation: with basePath, and with the slash that `trailingSlash` requires for pages (R6). */
export function addressIn({ basePath, trailingSlash }: Pick<SiteRuntime, 'basePath' | 'trailingSlash'>, href: string) {
  const [path = ''] = href.split(/[?#]/, 1)
  const isPage = path.startsWith('/') && !path.startsWith('//') && !isApiPath(path) && !isFilePath(path)
  if (!trailingSlash || !isPage) return withBasePath(href, basePath)
  return basePath + path + (path.endsWith('/') ? '' : '/') + href.slice(path.length)
}
