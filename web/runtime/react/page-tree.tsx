// The one React tree that server and browser render: contexts, boundaries, _app, page.

import { type ComponentType, type ReactNode, StrictMode } from 'react'
import { PageBoundary } from './boundaries.tsx'
import type { AppProps } from './page-types.ts'
import { NavigationContext, RouterContext, type RouterState } from './router-context.ts'
import { RuntimeContext, type SiteRuntime } from './runtime-context.ts'
import { NotFoundScreen } from './screens.tsx'

export interface PageTreeProps {
  App: ComponentType<AppProps> | undefined
  Page: ComponentType<Record<string, unknown>>
  NotFound: ComponentType | undefined
  pageProps: Record<string, unknown>
  state: RouterState
  runtime: SiteRuntime
  onRedirect: (location: string) => void
  /** Stands after the page: the browser's announcer and pending bar. */
  children?: ReactNode
}

export function PageTree({ App, Page, NotFound, pageProps, state, runtime, onRedirect, children }: PageTreeProps) {
  const notFound = NotFound ? <NotFound /> : <NotFoundScreen />
  return (
    <StrictMode>
      <RuntimeContext value={runtime}>
        <RouterContext value={state}>
          <NavigationContext value={state.navigation}>
            <PageBoundary resetKey={state.router.asPath} notFound={notFound} onRedirect={onRedirect}>
              {App ? <App Component={Page} pageProps={pageProps} router={state.router} /> : <Page {...pageProps} />}
            </PageBoundary>
          </NavigationContext>
        </RouterContext>
      </RuntimeContext>
      {children}
    </StrictMode>
  )
}
