// The connection between the framework and `onError` of the site (X16). Only bundles of sites that export the function
// contain the code behind it (errors/watch-errors.ts).

import type { HydrationOptions } from 'react-dom/client'
import type { ClientErrorKind } from '../../client-instrumentation.ts'

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
