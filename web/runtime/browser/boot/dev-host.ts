// The connection between the page and the development client. Readers check `process.env.NODE_ENV` first, so that
// production bundles do not contain this module.

import type { HydrationOptions } from 'react-dom/client'
import type { RouterEvents } from '../../react/contexts/router-context.ts'

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
  /** In place of prefetch/stylesheets.ts: Vite's client has the stylesheets. A view names its own by the page's module. */
  styles?: {
    start: (names: readonly string[]) => void
    load: (names: readonly string[]) => Promise<void>
    apply: (names: readonly string[]) => void
  }
} = {}
