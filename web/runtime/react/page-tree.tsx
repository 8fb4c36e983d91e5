// The one React tree that server and browser render: contexts, boundaries, _app, page.

import { type ComponentType, StrictMode, useMemo } from 'react'
import { PageBoundary, type Screen } from './boundaries.tsx'
import type { AppProps } from './page-types.ts'
import {
  NavigationContext,
  type NavigationState,
  RouterContext,
  type RouterState,
  RuntimeContext,
  type SiteRuntime,
} from './router-context.ts'

interface PageTreeProps {
  App: ComponentType<AppProps> | undefined
  Page: ComponentType<Record<string, unknown>>
  Screen: Screen
  pageProps: Record<string, unknown>
  state: RouterState
  runtime: SiteRuntime
  /** Separate from `state`: a pending navigation renders only the components that use it. */
  navigation: NavigationState
  onRedirect: (location: string) => void
}

export function PageTree(props: PageTreeProps) {
  const { App, Page, Screen, pageProps, state, navigation, runtime, onRedirect } = props
  const page = useMemo(
    () => (
      <PageBoundary resetKey={state.router.asPath} Screen={Screen} onRedirect={onRedirect}>
        {App ? <App Component={Page} pageProps={pageProps} router={state.router} /> : <Page {...pageProps} />}
      </PageBoundary>
    ),
    [App, Page, Screen, pageProps, state, onRedirect],
  )
  return (
    <StrictMode>
      <RuntimeContext value={runtime}>
        <RouterContext value={state}>
          <NavigationContext value={navigation}>{page}</NavigationContext>
        </RouterContext>
      </RuntimeContext>
    </StrictMode>
  )
}
