// The router as components see it. The server gives one that cannot move, the browser the real one.

import { createContext, useContext, useMemo } from 'react'
import type { RouteParams } from '../../../services/shared/wire/routes.ts'
import { isApiPath, isFilePath, stripBasePath } from '../../../services/shared/wire/urls.ts'
import type { Href } from './href.ts'
import type { SiteRuntime } from './runtime-context.ts'

export interface NavigateOptions {
  /** false keeps the scroll position (default: top of the page or its hash). */
  scroll?: boolean
  /** Changes the address without asking for page data; only for the route shown. */
  shallow?: boolean
}

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

/** The Pages Router's object, plus nothing. */
export interface Router {
  /** Pattern of the route, as in `/places/[slug]`. */
  pathname: string
  route: string
  /** Path, query and hash as in the address bar, without basePath. */
  asPath: string
  query: RouteParams
  basePath: string
  isFallback: boolean
  isReady: boolean
  /** Resolves true when the page was shown, false when another navigation took over. */
  push(url: Href, as?: string, options?: NavigateOptions): Promise<boolean>
  replace(url: Href, as?: string, options?: NavigateOptions): Promise<boolean>
  back(): void
  forward(): void
  reload(): void
  prefetch(url: Href): Promise<void>
  beforePopState(callback: (state: BeforePopState) => boolean): void
  events: RouterEvents
}

/** What Link needs of the browser's router; absent on the server. */
export interface LinkHost {
  /** Takes a click over; false leaves it to the browser. */
  follow(href: string, options: NavigateOptions & { replace?: boolean }): boolean
  /** Reports an anchor to be prefetched while it is in view; returns the undo. */
  observe(element: HTMLAnchorElement, href: string): () => void
  /** The user is about to click the link. */
  intend(href: string): void
}

export interface RouterState {
  router: Router
  params: RouteParams
  links?: LinkHost
}

export interface NavigationState {
  state: 'idle' | 'loading'
  /** Where to, while loading: path, query and hash with basePath. */
  location?: string
}

export const RouterContext = createContext<RouterState | null>(null)
/** Apart from RouterContext, so that a pending navigation renders only what asks for it. */
export const NavigationContext = createContext<NavigationState>({ state: 'idle' })

export function useRouterState(): RouterState {
  const state = useContext(RouterContext)
  if (!state) throw new Error('This hook needs a page of the app folder around it.')
  return state
}

/** The router; its methods work in the browser only. */
export function useRouter(): Router {
  return useRouterState().router
}

/** The path of the page shown, without query, hash and basePath. */
export function usePathname(): string {
  const { asPath } = useRouter()
  return useMemo(() => asPath.split(/[?#]/, 1)[0] || '/', [asPath])
}

/** The query of the page shown. */
export function useSearchParams(): URLSearchParams {
  const { asPath } = useRouter()
  return useMemo(() => new URLSearchParams((asPath.split('#', 1)[0] ?? '').split('?').slice(1).join('?')), [asPath])
}

/** The route's params, percent-decoded once. */
export function useParams<Params extends RouteParams = RouteParams>(): Params {
  // The author names the params of the own route; the server matched them.
  return useRouterState().params as Params
}

/** Whether a navigation is under way, and where to. */
export function useNavigation(): NavigationState {
  return useContext(NavigationContext)
}

/** Query values of a search string; repeated names become lists. */
export function parseQuery(search: string): RouteParams {
  const query: RouteParams = Object.create(null) as RouteParams
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name]
    query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return query
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

/** Where a link or a navigation leads: with basePath, and a page's path with the slash that `trailingSlash` asks for (R6). */
export function addressIn({ basePath, trailingSlash }: Pick<SiteRuntime, 'basePath' | 'trailingSlash'>, href: string) {
  const [path = ''] = href.split(/[?#]/, 1)
  const isPage = path.startsWith('/') && !path.startsWith('//') && !isApiPath(path) && !isFilePath(path)
  if (!trailingSlash || !isPage) return withBasePath(href, basePath)
  return basePath + path + (path.endsWith('/') ? '' : '/') + href.slice(path.length)
}
