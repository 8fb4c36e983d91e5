// What a site of Next.js has around its _app: the routers of `next/router` and `next/navigation`, and the state of
// `next/head` (X2). The build puts `_app` into this frame.

import { appPropsOf, PREVIEW_MARK } from '@portico/shared/wire/next/next-data.ts'
import { type ComponentType, useContext, useInsertionEffect, useMemo, useState } from 'react'
import type { AppProps as PageFrameProps } from '../react/page-types.ts'
import { useParams, usePathname, useRouterState, useRuntime } from '../react/router-context.ts'
import { AppRouterContext, PathnameContext, PathParamsContext, RouterContext, SearchParamsContext } from './contexts.ts'
import { createDocumentHead } from './document-head.ts'
import { HeadContext } from './head-state.ts'
import type { AppProps } from './initial-types.ts'
import { createAppRouter, useSearchParams } from './navigation.ts'
import { createNextRouter } from './next-router.ts'
import { connectRouter } from './router.tsx'

/** The component that the framework renders in the place of `_app`. */
export function framed(App: ComponentType<AppProps>): ComponentType<PageFrameProps> {
  return function NextFrame({ Component, pageProps: given }: PageFrameProps) {
    const state = useRouterState()
    const { router } = state
    const runtime = useRuntime()
    const { pageProps, isPreview } = useMemo(() => withoutMark(given), [given])
    const appProps = useMemo(() => appPropsOf(pageProps), [pageProps])
    const nextRouter = useMemo(() => createNextRouter(router, runtime, isPreview), [router, runtime, isPreview])
    const appRouter = useMemo(() => createAppRouter(nextRouter), [nextRouter])
    // The server has a head for each render around this component.
    const headOfRender = useContext(HeadContext)
    const [head] = useState(() => headOfRender ?? createDocumentHead())
    // Before the layout effects of the page, which may use the default Router.
    useInsertionEffect(() => {
      connectRouter(nextRouter, { state, runtime })
      Object.assign(window, { next: { ...window.next, router: nextRouter } })
    }, [nextRouter, state, runtime])
    return (
      <HeadContext value={head}>
        <RouterContext value={nextRouter}>
          <AppRouterContext value={appRouter}>
            <PathnameContext value={usePathname()}>
              <SearchParamsContext value={useSearchParams()}>
                <PathParamsContext value={useParams()}>
                  <App {...appProps} Component={Component} router={nextRouter} />
                </PathParamsContext>
              </SearchParamsContext>
            </PathnameContext>
          </AppRouterContext>
        </RouterContext>
      </HeadContext>
    )
  }
}

/** The props of the page without the mark of draft mode (X13). */
function withoutMark(given: Record<string, unknown>) {
  if (given[PREVIEW_MARK] !== true) return { pageProps: given, isPreview: false }
  const { [PREVIEW_MARK]: _mark, ...pageProps } = given
  return { pageProps, isPreview: true }
}

declare global {
  interface Window {
    next?: object
  }
}
