// How a request passes to a service, as a value.

import type { Route } from '../routes.ts'

export interface Passage {
  readonly route: Route
  /** The gateway's build has no API handler at the address: a newer replica may have it. */
  readonly lacksHandler?: boolean
  /** The page that the page cache left to the proxy: its home is preferred. */
  readonly page?: string
  /** The page cache may not send the page that it has or had: without a renderer the response is 503 (C5). */
  readonly isUnconfirmed?: boolean
}
