// What the client's tests are given: functions, since tests are registered before anything runs.

import type { Browser } from 'playwright-core'

export interface JourneyTarget {
  baseUrl: () => string
  browser: () => Browser
  /** Addresses of all pages. */
  pages: () => string[]
  /** Each page in each window, as `npm run test:long` does; otherwise a page of each layout in one window. */
  isWhole: boolean
}

const LAYOUTS: ReadonlySet<string> = new Set([
  '/',
  '/collections/north',
  '/docs/settings',
  '/nope',
  '/places/skarnvik',
  '/search?q=fog',
])

/** The pages that are looked at: all, or one of each layout. */
export function lookedAt({ pages, isWhole }: JourneyTarget): string[] {
  return pages().filter((path) => isWhole || LAYOUTS.has(path))
}

/** The cases that one of several passes over a list takes: all of them, or its share. */
export function shareOf<T>(all: readonly T[], { isWhole }: JourneyTarget, pass: number, passes: number): T[] {
  return all.filter((_one, index) => isWhole || index % passes === pass)
}

/** A visit to every page takes ten seconds, and many times that on a machine with other work. */
export const ALL_PAGES_TIMEOUT_MS = 240_000
