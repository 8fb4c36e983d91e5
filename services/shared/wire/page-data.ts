// Page data as it crosses the network (W2), with the parser that the browser uses.

import type { DeferredLine } from './deferred/lines.ts'
import { REFUSAL_CODES, type RedirectStatus, type RefusalStatus } from './errors/control-flow.ts'
import type { ErrorCode } from './errors/error-catalogue.ts'
import { isRecord } from './json/json-value.ts'
import type { LocaleNames } from './locales/locales.ts'
import { isParams, type RouteParams } from './route-params.ts'

export type PageData =
  /** `deferred`: the props have placeholders, and these are the lines of their promises, all of them in JSON (W2). */
  | {
      kind: 'page'
      route: string
      params: RouteParams
      props: Record<string, unknown>
      deferred?: readonly DeferredLine[]
    }
  | { kind: 'redirect'; location: string; status: RedirectStatus }
  | { kind: 'not-found' }
  /** On the wire it is an ErrorBody with the code of unauthorized() or forbidden(). */
  | { kind: 'refused'; status: RefusalStatus }
  | { kind: 'foreign-build' }

/** JSON form of an error, for every response that is not a document (E2). */
export interface ErrorBody {
  error: {
    status: number
    title: string
    code: ErrorCode
    digest?: string | undefined
    message?: string | undefined
    limit?: number
    received?: number
  }
}

/** What the document carries for the browser in one inert script element (D7). */
export interface HydrationData extends LocaleNames {
  buildId: string
  basePath: string
  /** Only on the server: the code in the browser has the addresses of files from the build. */
  assetPrefix?: string
  trailingSlash: boolean
  /** Route pattern of the page shown, or '/_error' / '/404' / '/500' for a screen. */
  route: string
  params: RouteParams
  props: Record<string, unknown>
  /** The props have placeholders (W2). The lines of promises that had settled; other lines are in elements that follow. */
  deferred?: readonly DeferredLine[]
  /** Path and query in the client's address bar, basePath included. */
  url: string
  status: number
  /** Files of the shown route: hydration does not wait for the manifest. */
  files: RouteFiles
  publicEnv: PublicValues
  /** React's form state after a post without JavaScript. */
  formState?: unknown
  digest?: string
  /** A page of `fallback: true` whose data the browser must still fetch. */
  isFallback?: boolean
  /** The page was rendered for this request: `url` has the query of the request. */
  isReady: boolean
  /** Under development: version of the sources that the document shows. */
  sourceVersion?: number
}

/** Every value that `publicEnv` of portico.config.ts declares, by name; null for an optional value that is not set. */
export type PublicValues = Readonly<Record<string, string | number | boolean | null>>

/** A route's files below `{prefix}/static/`. */
export interface RouteFiles {
  module: string
  imports: string[]
  styles: string[]
  /** Font files of the styles; absent without such fonts, and under development. */
  fonts?: string[]
  /** The script of the browser's entry that documents with deferred data need in addition. Absent under development. */
  deferred?: string
}

/** Parses a page-data response; undefined for a value of another shape. */
export function parsePageData(value: unknown): PageData | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const data = value as Partial<Record<string, unknown>>
  switch (data.kind) {
    case 'page': {
      if (typeof data.route !== 'string' || !isParams(data.params) || !isRecord(data.props)) return undefined
      const page = { kind: 'page', route: data.route, params: data.params, props: data.props } as const
      // The reader of deferred data accepts any line.
      return Array.isArray(data.deferred) ? { ...page, deferred: data.deferred as DeferredLine[] } : page
    }
    case 'redirect': {
      const status = REDIRECT_STATUSES.find((known) => known === data.status)
      if (typeof data.location !== 'string' || status === undefined) return undefined
      return { kind: 'redirect', location: data.location, status }
    }
    case 'not-found':
      return { kind: 'not-found' }
    case 'foreign-build':
      return { kind: 'foreign-build' }
    case undefined:
      return parseRefusal(data.error)
    default:
      return undefined
  }
}

/** Page code refused the client. The 401 or 403 of anything else between browser and page has another code. */
function parseRefusal(error: unknown): PageData | undefined {
  if (!isRecord(error)) return undefined
  const status = ([401, 403] as const).find((known) => known === error.status && REFUSAL_CODES[known] === error.code)
  return status && { kind: 'refused', status }
}

export const REDIRECT_STATUSES: readonly RedirectStatus[] = [301, 302, 303, 307, 308]
