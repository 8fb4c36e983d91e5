// A request for a page, the outcome of its render, and the names of a page: in keys of caches, in marks of the invalidation
// feed, in the address bar. Nothing here depends on HTTP: app.ts and inner/ make requests, send/ turns an outcome into bytes.
// SECURITY: the locale is a part of every key.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createRequestId } from '@portico/shared/kit/http/request-id.ts'
import type { AddTask } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { ByteSink } from '@portico/shared/wire/bundles.ts'
import type { CookieSeal } from '@portico/shared/wire/cookies/cookie-seal.ts'
import type { DraftState } from '@portico/shared/wire/cookies/draft-mode.ts'
import type { RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { localePath, markedPath, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { paramsKey } from '@portico/shared/wire/routing/page-key.ts'
import { fillPattern } from '@portico/shared/wire/routing/routes.ts'
import type { Representation } from '@portico/shared/wire/routing/urls.ts'

/** Headers and cookies that the page's own code set. */
export interface AuthorHeaders {
  headers: Record<string, string | string[]>
  setCookies: string[]
}

export type CacheVerdict = 'HIT' | 'STALE' | 'MISS'

/** `FALLBACK`: the shell of a page whose first render runs in the background. */
export type PageCacheVerdict = CacheVerdict | 'FALLBACK'

/** `policy` is that of a document; absent for JSON, and for a document without one. */
export type Outcome =
  /** From the page cache: the same for all clients. */
  | {
      kind: 'cached'
      route: string
      status: number
      type: 'html' | 'json'
      policy?: PolicyHeader | undefined
      body: Buffer
      etag: string
      verdict: CacheVerdict
      /** The cookies that a page set before it returned notFound; sent with the not-found screen. */
      setCookies?: string[]
    }
  /** Rendered for this request. */
  | {
      kind: 'whole'
      route: string
      status: number
      type: 'html' | 'json'
      policy?: PolicyHeader | undefined
      /** Overrides the type's media type if page code wrote the body. */
      contentType?: string
      body: string | Buffer
      author: AuthorHeaders
      digest?: string
      /** The body is a screen, or JSON of W2, for this error. */
      code?: ErrorCode
    }
  | {
      kind: 'stream'
      route: string
      status: number
      type: 'html' | 'jsonl'
      policy?: PolicyHeader | undefined
      pipe: (sink: ByteSink) => Promise<void>
      author: AuthorHeaders
    }
  | { kind: 'redirect'; route: string; location: string; status: RedirectStatus; author: AuthorHeaders }
  /** No page of the app folder could be rendered: the default screen or JSON. */
  | { kind: 'error'; route: string; code: ErrorCode; digest?: string; author?: AuthorHeaders }

export const NO_AUTHOR_HEADERS: AuthorHeaders = { headers: {}, setCookies: [] }

export interface PageRequest {
  /** Path and query in the client's address bar, basePath included. */
  url: string
  /** Raw, below basePath. */
  pathname: string
  search: string
  method: string
  headers: Readonly<Record<string, string>>
  cookies: Record<string, string>
  /** Absent where no client is: in the warm-up and for entries of the page cache. */
  cookieSeal?: CookieSeal
  /** Draft mode; absent where no client is. */
  draft?: DraftState
  /** Public origin, for example `https://example.org`. */
  origin: string
  requestId: string
  signal: AbortSignal
  as: Representation
  /** Wait for all content: for crawlers, and for responses that another service passes on. */
  whole: boolean
  /** The client requested all content by W12: no cache may keep the response. */
  isWholeRequested?: boolean
  /** Work behind the response; absent for a render for all clients, which has its own. */
  after?: AddTask
  /** Node's request, or a stream with the body of a passed one; absent without a client. */
  stream?: IncomingMessage | Readable
  /** Set for a request of another service (W6, W8). */
  inner?: { status?: number; formState?: unknown; generation?: number; epoch?: string | undefined }
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Whether the response to the method may be that of another client: no cache keeps what was made for a body. */
export function isReading(method: string): boolean {
  return READING.has(method)
}

export interface PageIdentity {
  entry: Pick<PageEntry, 'pattern'>
  params: RouteParams
  /** In a site with locales (X14). */
  locale?: string | undefined
}

/** SECURITY: the locale is a part of every key: no page of one locale is sent for another. */
export function keyOf({ entry, params, locale }: PageIdentity): string {
  return paramsKey(entry.pattern, params, locale)
}

export function markOf({ entry, params, locale }: PageIdentity): string {
  return markedPath(locale, fillPattern(entry.pattern, params))
}

/** Raw, below basePath. */
export function addressOf({ i18n }: Pick<Manifest, 'i18n'>, { entry, params, locale }: PageIdentity): string {
  const path = fillPattern(entry.pattern, params)
  return i18n && locale !== undefined ? localePath(i18n, locale, path) : path
}

/** The locale of an address, raw and below basePath; undefined in a site without locales. */
export function localeOf({ i18n }: Pick<Manifest, 'i18n'>, pathname: string): string | undefined {
  return i18n && splitLocale(i18n, pathname).locale
}

/**
 * A render that did not end for a cause which a later one may not have: a time limit, a part of the page that failed, a value
 * of the running site that the build lacks. The build leaves such a page to the first request; an error that the page
 * throws ends the build of an app of Next.js (X9).
 */
export class UnfinishedRender extends Error {}

/** `origin` is the site's, for absolute URLs. */
export function warmRequest(origin = 'http://localhost'): PageRequest {
  return {
    url: '/',
    pathname: '/',
    search: '',
    method: 'GET',
    headers: {},
    cookies: {},
    origin,
    requestId: createRequestId(),
    signal: new AbortController().signal,
    as: 'html',
    whole: true,
  }
}

/**
 * RFC 9110 section 10.2.2 requires a URI: characters that are not allowed in one are percent-encoded, encoded ones are
 * kept.
 */
export function encodeLocation(location: string): string {
  return encodeURI(location).replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}
