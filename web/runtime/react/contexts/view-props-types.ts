// Props that the browser makes itself (X11): what browser/prefetch/view-props.ts, and in sites of Next.js
// next/browser-initial-props.tsx in its place, gives to the loader of views.

import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { ComponentType } from 'react'

/** A page or screen whose code has been loaded. */
export interface LoadedPage {
  Page: ComponentType<Record<string, unknown>>
  route: string
  params: RouteParams
  /** Of the page, with basePath. */
  url: string
  /** In the address bar, with basePath. */
  address: string
  basePath: string
  /** What getInitialProps of a page has thrown, for the screen of the error. */
  error?: unknown
}

export interface ViewProps {
  /** The data of a page with getInitialProps. Rejects with what the function throws. */
  load(page: LoadedPage): Promise<PageData>
  /** What getInitialProps adds to the props of a screen. */
  ofScreen(page: LoadedPage): Promise<Record<string, unknown>>
}
