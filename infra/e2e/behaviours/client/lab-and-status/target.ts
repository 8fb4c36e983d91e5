// What the tests of the two pages are given: one stack and one browser for all of them.

import type { Browser } from 'playwright-core'

export interface PagesTarget {
  /** Known only once the stack runs. */
  baseUrl: () => string
  browser: () => Browser
  /** Process id of a service that runs. */
  serviceId: (name: string) => number
}
