// What the visitor's tests are given: functions, since tests are registered before anything runs.

import type { Browser } from 'playwright-core'

export interface VisitorTarget {
  baseUrl: () => string
  browser: () => Browser
  /** Addresses of all pages. */
  pages: () => string[]
}
