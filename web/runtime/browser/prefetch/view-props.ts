// Props that the browser makes itself: none. Sites of Next.js have next/browser-initial-props.tsx in place of this file, so
// that other sites do not load its code (X11).

import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { PageComponent } from '../boot/view.ts'

/** A page or screen whose code has been loaded. */
export interface LoadedPage {
  Page: PageComponent
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

// The cast: the other module has one.
export const viewProps = undefined as ViewProps | undefined
