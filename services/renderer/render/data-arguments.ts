// The argument of a data function: `req`, which is the stream of its body where the page reads bodies (X7), `res`, which holds a
// body if the response is no page (a sitemap, a feed), parameters and query by the rules of the manifest's semantics (X7),
// and the members of draft mode (X13).

import { IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http'
import { Readable } from 'node:stream'
import { removalOf } from '@portico/shared/kit/cookies/draft-cookies.ts'
import { asClientRequest, withMembers } from '@portico/shared/kit/http/site-code/client-request.ts'
import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { DataFunctionContext } from '@portico/shared/wire/bundles.ts'
import type { DraftState } from '@portico/shared/wire/cookies/draft-mode.ts'
import { localeNames, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { PREVIEW_MARK } from '@portico/shared/wire/next/next-data.ts'
import { refuseInternalHeader } from '@portico/shared/wire/policy/internal-headers.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { addedQuery, queryOf } from '@portico/shared/wire/routing/added-query.ts'
import { nextDataUrl, type Representation, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import { isReading, type PageRequest } from '../outcome/outcome.ts'
import type { ArrivingBody } from './data-functions.ts'

/**
 * The request of getServerSideProps: a stream where the page reads bodies (X7). `socket` has what the gateway reports of
 * the client; the socket itself is that of the gateway (G5).
 */
export function createPageRequest({ methods }: PageEntry, request: PageRequest, cookies: PageRequest['cookies']) {
  const { method, url, headers, origin, stream = Readable.from([], { objectMode: false }) } = request
  const members = { method, url, headers, cookies }
  const address = headers['x-forwarded-for']
  const isSecure = origin.startsWith('https:')
  if (methods === 'all' && stream instanceof IncomingMessage)
    return asClientRequest(stream, members, { address, isSecure })
  const all = { ...members, socket: { remoteAddress: address, encrypted: isSecure } }
  return methods === 'all' ? withMembers(stream, all) : all
}

/**
 * The body of a request while the client sends it; undefined for a page that reads none. A body that the page does not read
 * has no end: the connection carries only what the page takes.
 */
export function bodyOf({ methods }: PageEntry, { method, stream }: PageRequest): ArrivingBody | undefined {
  if (methods !== 'all' || isReading(method) || !(stream instanceof IncomingMessage) || stream.complete)
    return undefined
  const isRead = () => stream.readableFlowing !== null || stream.readableDidRead
  return {
    onceRead: (listener) => void stream.once('end', listener),
    isArriving: () => isRead() && !stream.complete && !stream.destroyed,
  }
}

type HeadersOfHead = Readonly<Record<string, string | number | readonly string[]>>

export interface PageResponse {
  statusCode: number
  /** Names in lower case. */
  readonly headers: Record<string, string | string[]>
  /** The written body after `end` was called; the page is not rendered then. */
  readonly body: Buffer | undefined
  setHeader(name: string, value: string | number | readonly string[]): this
  getHeader(name: string): string | string[] | undefined
  /** Adds a value to those that the header has. */
  appendHeader(name: string, value: string | readonly string[]): this
  setHeaders(headers: Headers | ReadonlyMap<string, string | number | readonly string[]>): this
  hasHeader(name: string): boolean
  getHeaders(): Record<string, string | string[]>
  getHeaderNames(): string[]
  removeHeader(name: string): void
  /** Whether a change is too late: after `end`, and after the head was sent. */
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Node's older name of `writableEnded`. */
  readonly finished: boolean
  /** Node's reason phrase is ignored: HTTP/2 has none. */
  writeHead(statusCode: number, reasonOrHeaders?: string | HeadersOfHead, headers?: HeadersOfHead): this
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): this
  /** The head was sent: page code that changes the response now gets an error. */
  seal(): void
}

const SET_COOKIE = 'set-cookie'

/** A data function ends before a byte is sent: members that need the connection throw. */
const MISSING = Object.fromEntries(
  ['on', 'once', 'flushHeaders', 'pipe'].map((name) => [
    name,
    () => {
      throw new Error(`res.${name}() is not available in getServerSideProps, whose response is sent after it returned`)
    },
  ]),
)

/** Code for the Pages Router expects a list of cookies. */
function singleValue(name: string, value: string): string | string[] {
  return name.toLowerCase() === SET_COOKIE ? [value] : value
}

export function createPageResponse(): PageResponse {
  const headers: PageResponse['headers'] = {}
  const chunks: Buffer[] = []
  let isEnded = false
  let isSealed = false
  const refuseLate = (method: string) => {
    if (isSealed) throw new Error(`res.${method}() after the response began; call it before getServerSideProps returns`)
  }
  const add = (chunk: string | Uint8Array) => {
    // Like Node's own response, for which page code was written.
    if (isEnded) throw new Error('res.write() after res.end()')
    refuseLate('write')
    chunks.push(Buffer.from(chunk as string))
  }
  return {
    statusCode: 200,
    headers,
    get body() {
      return isEnded ? Buffer.concat(chunks) : undefined
    },
    setHeader(name, value) {
      refuseLate('setHeader')
      // Refused here and not while sending: the stack shows the page's code, and its error screen can be sent.
      validateHeaderName(name)
      refuseInternalHeader(name)
      for (const each of typeof value === 'object' ? value : [value]) validateHeaderValue(name, each as string)
      headers[name.toLowerCase()] = typeof value === 'object' ? [...value] : singleValue(name, String(value))
      return this
    },
    getHeader: (name) => headers[name.toLowerCase()],
    appendHeader(name, value) {
      const values = [headers[name.toLowerCase()] ?? [], value].flat()
      return this.setHeader(name, values.length === 1 ? values[0]! : values)
    },
    setHeaders(given) {
      const cookies = given instanceof Headers ? given.getSetCookie() : []
      for (const [name, value] of given)
        if (!(given instanceof Headers && name === SET_COOKIE)) this.setHeader(name, value)
      return cookies.length > 0 ? this.setHeader(SET_COOKIE, cookies) : this
    },
    hasHeader: (name) => Object.hasOwn(headers, name.toLowerCase()),
    getHeaders: () => ({ ...headers }),
    getHeaderNames: () => Object.keys(headers),
    get headersSent() {
      return isEnded || isSealed
    },
    get writableEnded() {
      return isEnded
    },
    get finished() {
      return isEnded
    },
    ...MISSING,
    removeHeader(name) {
      refuseLate('removeHeader')
      delete headers[name.toLowerCase()]
    },
    writeHead(statusCode, reasonOrHeaders, more) {
      this.statusCode = statusCode
      const given = typeof reasonOrHeaders === 'object' ? reasonOrHeaders : more
      for (const [name, value] of Object.entries(given ?? {})) this.setHeader(name, value)
      return this
    },
    write(chunk) {
      add(chunk)
      return true
    },
    end(chunk) {
      if (chunk !== undefined) add(chunk)
      isEnded = true
      return this
    },
    seal() {
      isSealed = true
      // An assignment to statusCode throws.
      Object.freeze(this)
    },
  }
}

/** The page after rewrites. */
interface Resolved {
  entry: { pattern: string }
  pathname: string
  search: string
  lists?: readonly string[]
  params: RouteParams
  locale?: string
}

type Rules = Pick<Manifest, 'semantics' | 'i18n'>

/** What the client requested. */
interface Requested {
  search: string
}

/** The parameters in the context of a data function. */
export function paramsOf({ semantics }: Rules, { entry, params }: Pick<Resolved, 'entry' | 'params'>) {
  return semantics.noEmptyParams && !entry.pattern.includes('[') ? {} : { params }
}

/** For getServerSideProps. */
export function placeOf(rules: Rules, page: Resolved, requested: Requested) {
  const { pathname, search, params } = page
  const resolvedUrl = pathname + (rules.semantics.resolvedUrlQuery ? requested.search : search)
  const names = localeNames(rules.i18n, page.locale)
  return { ...paramsOf(rules, page), query: { ...queryOf(page), ...params }, resolvedUrl, ...names }
}

/** The parameters of the page for the browser, with `addedQuery` also the values that a rewrite adds or changes. */
export function paramsShown(
  { semantics }: Rules,
  { params, ...rewritten }: Omit<Resolved, 'entry'>,
  requested: Requested,
): RouteParams {
  if (!semantics.addedQuery || rewritten.search === requested.search) return params
  return { ...addedQuery(rewritten, requested.search), ...params }
}

/**
 * The request as data functions see it: with `requestUrl` its URL has neither basePath nor locale, and is the address of the
 * data for page data of a site without locales.
 */
export function requestSeen<R extends { url: string; as: Representation }>(
  { semantics, i18n, basePath, buildId }: Pick<Manifest, 'semantics' | 'i18n' | 'basePath' | 'buildId'>,
  request: R,
): R {
  if (!semantics.requestUrl) return request
  const { pathname, search } = splitTarget(request.url)
  const below = stripBasePath(pathname, basePath)
  if (below === undefined) return request
  if (i18n) return { ...request, url: splitLocale(i18n, below).pathname + search }
  return { ...request, url: request.as === 'html' ? below + search : nextDataUrl(buildId, below, search) }
}

type DraftMembers = Pick<DataFunctionContext, 'draftMode' | 'preview' | 'previewData'>

/** Members of the argument of a data function; those of Next.js, where other requests have none of them. */
export function draftMembers(draft: DraftState | undefined): DraftMembers {
  return draft?.kind === 'on' ? { draftMode: true, preview: true, previewData: draft.data } : {}
}

/** Members of the props, by which the router of the page says that it is a preview. */
export function previewMarkOf(
  { previewMark }: Pick<Semantics, 'previewMark'>,
  draft: DraftState | undefined,
): Record<string, true> {
  return previewMark && draft?.kind === 'on' ? { [PREVIEW_MARK]: true } : {}
}

/** Whether a cookie of draft mode came with the request, valid or not: then no cache may keep the response. */
export function isForDraft({ draft }: PageRequest): boolean {
  return draft !== undefined && draft.kind !== 'off'
}

/** Removes cookies of draft mode that do not count: forged, expired, or of another site. */
export function draftRemovalOf({ draft, cookieSeal, origin }: PageRequest): string[] {
  return cookieSeal ? removalOf(draft, { seal: cookieSeal, isSecure: origin.startsWith('https:') }) : []
}
