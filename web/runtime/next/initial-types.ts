// The types of getInitialProps (X11), which `next` and `next/app` export.

import type { LocaleNames } from '@portico/shared/wire/locales/locales.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { ComponentType } from 'react'
import type { ApiRequest, ApiResponse } from '../data-types.ts'
import type { Page } from '../react/page-types.ts'
import type { NextRouter } from './router-types.ts'

/** A component that may have getInitialProps. */
export type NextComponentType<
  Context = NextPageContext,
  // biome-ignore lint/suspicious/noExplicitAny: the type of Next.js, so that sites compile unchanged.
  InitialProps = any,
  Props = object,
> = ComponentType<Props> & {
  getInitialProps?(context: Context): InitialProps | Promise<InitialProps>
}
/** The argument of getInitialProps; that of `_document` has more. `req` and `res` are missing in the browser. */
export interface NextPageContext extends LocaleNames {
  err?: (Error & { statusCode?: number }) | null
  req?: ApiRequest
  res?: ApiResponse
  pathname: string
  query: RouteParams
  asPath?: string
  AppTree: AppTreeType
}

/** The props of `pages/_app`. */
// biome-ignore lint/suspicious/noExplicitAny: the type of Next.js, so that sites compile unchanged.
export interface AppProps<Props = any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  Component: Page<any>
  pageProps: Props
  router: NextRouter
}
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AppInitialProps<Props = any> = { pageProps: Props }
/** Renders the page in its app. It has the props of `_app`, as getInitialProps of `_app` returns them. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AppTreeType = ComponentType<AppInitialProps & { [name: string]: any }>
/** The argument of getInitialProps of `_app`. */
export interface AppContext {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  Component: NextComponentType<NextPageContext, any, any>
  AppTree: AppTreeType
  ctx: NextPageContext
  router: NextRouter
}
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AppType<Props = any> = NextComponentType<AppContext, any, AppProps<Props>>
