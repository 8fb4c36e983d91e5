// A behaviour of Next.js as one expression that runs on Portico and on real Next.js.

import type { Page } from 'playwright-core'
import type { ConfigurationName } from './configurations.ts'

/** What a page of the fixture shows about itself: `components/state.tsx` of the site. */
export interface PageState {
  /** The route, for example `/posts/[slug]`. */
  pathname: string
  asPath: string
  query: Record<string, string | string[]>
  /** In a site with locales. */
  locale?: string
  locales?: string[]
  defaultLocale?: string
  /** What the page passes: usually the props of its data function. */
  props?: unknown
}

/** A running site before its first request. */
export interface StartedSite {
  /** Without a path. */
  origin: string
  /** Lines of its log so far. */
  log: () => readonly string[]
  stop: () => Promise<void>
}

/** A running site, the same for Portico and for Next.js. */
export interface HttpSite {
  /** `http://127.0.0.1:12345`, without a path. */
  origin: string
  /** Part of the paths below `/_next/data/`. */
  buildId: string
  /** What the site has written to its log, line by line. */
  log: () => readonly string[]
  /** Requests a path of the site; a redirect is a response, too. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The text of the response, whatever its status is. */
  text: (path: string, init?: RequestInit) => Promise<string>
  /** The address of the data of a page; the path is without the base path, and may have a query. */
  dataAt: (path: string) => string
  /** What the page shows in its HTML, before any JavaScript runs. */
  stateOf: (path: string) => Promise<PageState>
  /** The JSON at `dataAt`. */
  data: (path: string) => Promise<{ pageProps: Record<string, unknown> } & Record<string, unknown>>
}

/** The same with a page of Chromium. */
export interface BrowserSite extends HttpSite {
  page: Page
  /** Addresses that were loaded as documents: one entry after client navigations. */
  documents: readonly string[]
  /** Addresses of all requests of the page. The page is used again: a behaviour adds and removes no listeners. */
  requests: readonly string[]
  /** Console errors, uncaught errors and responses with an error status. */
  faults: readonly string[]
  /** Loads a path as a document and waits until React has taken the element over. */
  open: (path: string, selector?: string) => Promise<void>
  /** What the page shows now. */
  state: () => Promise<PageState>
  /** Path, query and fragment in the address bar. */
  address: () => string
  /** How long a condition may take: `expect.poll(() => …, site.patience)`. */
  patience: { timeout: number }
}

/** What the build of a site has done. */
export interface BuildResult {
  /** 0 if it has made a site. */
  code: number
  /** Both streams. */
  output: string
}

export type Run<Site> = (site: Site) => Promise<void>

/** `run` is what Next.js does. Where Portico does something else on purpose, `differs` has its expectation and the reason. */
interface Expected<Site> {
  run: Run<Site>
  differs?: { reason: string; run: Run<Site> }
}

interface Common {
  /** Name of the suite and number of the test in the upstream file: `dynamic-routing-12`. */
  id: string
  /** Numbers of further tests of the file that the same run proves: for steps that one page of Chromium takes in turn. */
  also?: readonly number[]
  /** A sentence of our own in the present: what the site does. */
  does: string
  /** The form of the fixture; `main` if there is none. */
  configuration?: ConfigurationName
}

/** A behaviour of a site that has only these files, by their paths. */
export type BuildBehaviour = Common & { via: 'build'; files: Readonly<Record<string, string>> } & Expected<BuildResult>

export type HttpBehaviour = Common & { via: 'http' } & Expected<HttpSite>

export type BrowserBehaviour = Common & { via: 'browser' } & Expected<BrowserSite>

export type SiteBehaviour = HttpBehaviour | BrowserBehaviour

export type Behaviour = BuildBehaviour | SiteBehaviour

/** What a behaviour may have besides. */
interface More<Site> {
  also?: readonly number[]
  configuration?: ConfigurationName
  differs?: { reason: string; run: Run<Site> }
}

/** Behaviours of a suite by the numbers of its tests. */
export function behavioursOf(suite: string) {
  const idOf = (number: number) => `${suite}-${number}`
  return {
    overHttp: (number: number, does: string, run: Run<HttpSite>, more: More<HttpSite> = {}): HttpBehaviour => {
      return { id: idOf(number), does, via: 'http', run, ...more }
    },
    inBrowser: (
      number: number,
      does: string,
      run: Run<BrowserSite>,
      more: More<BrowserSite> = {},
    ): BrowserBehaviour => {
      return { id: idOf(number), does, via: 'browser', run, ...more }
    },
  }
}
