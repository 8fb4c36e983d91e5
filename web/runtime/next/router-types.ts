// The types of `next/router` (X2).

import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { BeforePopState, RouterEvents } from '../react/router-context.ts'
import type { Url } from './urls.ts'

/** Options of `push` and `replace`. */
export interface TransitionOptions {
  /** Changes the address and the query without a request for page data, on the same page. */
  shallow?: boolean | undefined
  /** false keeps the scroll position. */
  scroll?: boolean | undefined
  /** That of the target, in a site with `i18n`. false: the address as it is written. Default: the locale of the page. */
  locale?: string | false | undefined
}

/** The router of `next/router`. */
export interface NextRouter {
  /** Pattern of the route, as in `/places/[slug]`. */
  route: string
  pathname: string
  query: RouteParams
  /** Path, query and hash in the address bar, without basePath. */
  asPath: string
  basePath: string
  isFallback: boolean
  /** false while a page that is rendered once for all clients has no query. */
  isReady: boolean
  isPreview: boolean
  isLocaleDomain: boolean
  locale?: string
  locales?: string[]
  defaultLocale?: string
  /** `as`: the address that the address bar shows instead of that of `url`. */
  push(url: Url, as?: Url, options?: TransitionOptions): Promise<boolean>
  replace(url: Url, as?: Url, options?: TransitionOptions): Promise<boolean>
  reload(): void
  back(): void
  forward(): void
  prefetch(url: Url, as?: Url, options?: { priority?: boolean; locale?: string | false }): Promise<void>
  beforePopState(callback: (state: BeforePopState) => boolean): void
  events: RouterEvents
}

/** The props of a component in `withRouter`. */
export interface WithRouterProps {
  router: NextRouter
}
export type ExcludeRouterProps<Props> = Omit<Props, 'router'>
