// The entry of getInitialProps in the server bundle (X11), and what code of a document reads of the client (X10).

import type { HydrationData } from '../page-data.ts'

/** What a document may read of the client: the objects of the page's data function. */
export interface DocumentClient {
  req: unknown
  res: { readonly writableEnded: boolean }
}

/** A page or screen whose initial props are loaded (X11). */
export interface InitialPage {
  /** `props` are not read. */
  hydration: HydrationData
  /** Absent where there is none. */
  client?: DocumentClient | undefined
  /** What the page has thrown, for the screen of the error. */
  error?: unknown
}

/** getInitialProps of the pages and of `_app`. */
export interface SiteInitialProps {
  /** `_app` itself has getInitialProps, which is called for every page. */
  readonly ofApp: boolean
  /** Whether the page, which has no data function, or the screen has initial props. */
  has(route: string): Promise<boolean>
  /** The props of the page, with those of `_app` as one member (`APP_PROPS`). Throws what the site's code throws. */
  load(page: InitialPage): Promise<Record<string, unknown>>
}
