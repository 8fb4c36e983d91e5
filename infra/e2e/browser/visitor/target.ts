// What the visitor's tests are given: functions, since tests are registered before anything runs.

import type { Browser } from 'playwright-core'

export interface VisitorTarget {
  baseUrl: () => string
  browser: () => Browser
  /** Addresses of all pages. */
  pages: () => string[]
}

/** A visit to every page takes ten seconds, and many times that on a machine with other work. */
export const ALL_PAGES_TIMEOUT_MS = 240_000
