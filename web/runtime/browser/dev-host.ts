// The seam between the page and the development client. Production bundles hold nothing of it: whoever reads it asks
// `process.env.NODE_ENV` first.

import type { HydrationOptions } from 'react-dom/client'
import type { RouterEvents } from '../react/router-context.ts'

export interface DevPage {
  /** Asks for the shown page's data anew and shows it; the page keeps its state. */
  refresh: () => Promise<void>
  events: RouterEvents
}

/** Filled by the development client before the page starts. */
export const devHost: {
  rootOptions?: HydrationOptions
  /** Called when the page hydrates. */
  onStart?: (page: DevPage) => void
} = {}
