// What other code puts into the page before it starts: the development client, and `onError` of the site (X16). Production
// bundles contain neither object without its users: readers check `process.env.NODE_ENV` or `process.env.PORTICO_ERRORS`
// first.

import type { HydrationOptions } from 'react-dom/client'
import type { ClientErrorKind } from '../client-instrumentation.ts'
import type { RouterEvents } from '../react/router-context.ts'

// The connection between the page and the development client.

export interface DevPage {
  /** Fetches the data of the shown page again and shows the data; the page keeps its state. */
  refresh: () => Promise<void>
  events: RouterEvents
}

/** Filled by the development client before the page starts. */
export const devHost: {
  rootOptions?: HydrationOptions
  /** Called when the page hydrates. */
  onStart?: (page: DevPage) => void
  /** In place of stylesheets.ts: Vite's client has the stylesheets. A view names its own by the page's module. */
  styles?: {
    start: (names: readonly string[]) => void
    load: (names: readonly string[]) => Promise<void>
    apply: (names: readonly string[]) => void
  }
} = {}

// The connection between the framework and `onError` of the site. Only bundles of sites that export the function contain the
// code behind it (report-errors.ts).

export interface ErrorDetails {
  kind: ClientErrorKind
  /** Default: that of the page shown. */
  route?: string | undefined
  componentStack?: string | undefined
}

export const errorHost: {
  /** Pattern of the page shown. */
  route?: string
  /** Reports an error; an expected end is none. Resolves when the page may be left. Never rejects. */
  report?: (error: unknown, details: ErrorDetails) => Promise<void>
  /** The options of `hydrateRoot` that report React's errors, and do what `base` does or else React. */
  watchRoot?: (base: HydrationOptions | undefined) => HydrationOptions
} = {}

/** Reports that code of the framework cannot be loaded, before what waits for it leaves the page. */
export async function rethrowReported(error: unknown): Promise<never> {
  await errorHost.report?.(error, { kind: 'chunk' })
  throw error
}
