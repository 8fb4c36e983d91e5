// What the gateway knows of one request until its response is closed: created by the first step, read by all other steps
// and by the log line at the end. It includes what middleware decided (X15).

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { RequestSpan } from '@portico/shared/kit/observe/tracer.ts'
import type { LocalePath } from '@portico/shared/wire/locales/locales.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import type { Resolution, Target } from '@portico/shared/wire/routing/resolve-page.ts'
import { canonicalPath, type DataPath, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { CacheBypass } from '../pages/pages.ts'
import type { ExternalHost, Replica } from '../replicas/replicas.ts'
import type { Route } from '../routes.ts'

export type { FileBytes, FileForm, Passage, Reply, SendReply, Step, StoredFile } from './reply.ts'

/** What responds to an address: of the request, or to which middleware rewrites it. */
export interface Found {
  /** The line of the routing table. */
  readonly route?: Route | undefined
  /** Undefined for an address that no rewrite concerns and that belongs to no page of this build. */
  readonly target?: Target | undefined
  /** The page of the request (C2); absent for addresses that belong to no page. */
  readonly resolution?: Resolution
  /** The other host to which a rewrite leads. */
  readonly external?: ExternalHost
  /** Whether a rewrite led to the page. */
  readonly isRewritten: boolean
  /** Nothing of this build is at the address, and no rule or middleware leads the request elsewhere. */
  readonly isUnknown: boolean
  /** What the rewrite has added to the query of a page that is rendered once, as text of a header. */
  readonly addedQuery?: string | undefined
}

/** Before the address is resolved, and for one that is none of a page. */
export const NOTHING_FOUND: Found = Object.freeze({ isRewritten: false, isUnknown: false })

/** What becomes known on the way to a response, for its access line, its timings and its trace. */
interface Notes {
  replica: Replica | undefined
  /** Requests sent upstream: 1, or 2 after a retry. */
  attempts: number
  /** Time from the start to the upstream's first byte. */
  upstreamMs: number | undefined
  /** The rules of the configuration that applied, by their names (rule-names.ts). */
  rules: string[] | undefined
  /** Why the page cache could not serve the page. */
  bypass: CacheBypass | undefined
  /** The limit that refused the request. */
  refusal: RefusalReason | undefined
  /** The page's pattern, or what an upstream reports that found its route itself. */
  pattern: string | undefined
  /** From the upstream's internal headers. */
  resolvedAgain: string | undefined
  cache: string | undefined
  /** What the renderer's own cache did, where it filled the page cache of this gateway for the request. */
  rendererCache: string | undefined
  digest: string | undefined
  /** Code of an error response, from the error catalogue. */
  code: string | undefined
}

export interface Exchange {
  /** Created here; the gateway ignores the client's x-request-id. */
  readonly requestId: string
  readonly traceId: string
  /** W3C trace context for the upstream, with the gateway's own span as parent. */
  readonly traceparent: string
  /** The gateway's own span, where requests are traced. */
  readonly span: RequestSpan | undefined
  /** Milliseconds of performance.now(). */
  readonly startedAt: number
  /** As the client sent it. */
  readonly method: string
  /** Raw, basePath included, as the client sent it. */
  readonly pathname: string
  /** Empty or `?…`. */
  readonly search: string
  /** As the client sent it, before the gateway rewrites it for the upstream. */
  readonly ifNoneMatch: string | undefined
  readonly socket: Socket
  /** Bytes that the connection had sent before this response. */
  readonly bytesBefore: number
  /** Raw pathname below basePath; undefined outside of it. */
  path: string | undefined
  /** The path, or that of the page of page data, by locale (X14); undefined in a site without locales. */
  locale: LocalePath | undefined
  /** The parts of a path of page data (W2, X2) and its representation; undefined for other paths. */
  pageData: DataPath | undefined
  /** What responds to the address, replaced whole by each resolution. */
  found: Found
  /** The verdict of middleware, if it ran for the request. */
  guarded: Guarded | undefined
  /** Whether a rule with `has` was compared with the request: the response is not that of its address alone. */
  comparesClient: boolean
  /** Whether a rewrite with conditions was compared: what responds is not that of the address alone. */
  rewritesCompareClient: boolean
  /** The languages of the client decide the response: the root of a site with locales. */
  variesByLocale: boolean
  /** Called once when the response is closed, before the log line is written. */
  atEnd: ((request: IncomingMessage) => void) | undefined
  readonly notes: Notes
}

export function noteRule({ notes }: Exchange, name: string): void {
  notes.rules ??= []
  notes.rules.push(name)
}

const EXCHANGE = Symbol('exchange')

/**
 * A request with its exchange. Not a WeakMap: V8 moves the map to the old generation, and with it the exchange of each
 * request and all that the exchange refers to, which costs more than all steps of the gateway.
 */
type Carrier = IncomingMessage & { [EXCHANGE]?: Exchange }

/** Attaches an exchange to its request. */
export function attachExchange(request: Carrier, exchange: Exchange): void {
  request[EXCHANGE] = exchange
}

/** The exchange of a request that came through the first step. */
export function exchangeOf(request: Carrier): Exchange {
  const exchange = request[EXCHANGE]
  if (!exchange) throw new Error('the request did not come through the first step')
  return exchange
}

/** Where middleware rewrites a request to. */
type Moved =
  /** Raw and below basePath. */
  | { readonly kind: 'path'; readonly pathname: string; readonly search: string }
  /** An address of another host. */
  | { readonly kind: 'external'; readonly origin: string; readonly pathname: string; readonly search: string }
  /** notFound(): every path is one without a page. */
  | { readonly kind: 'nothing' }

/** Noted in the exchange of each request for which middleware ran. */
export interface Guarded {
  readonly verdict: MiddlewareVerdict['kind']
  /** Names in lower case, added to the response of this client and stored nowhere. */
  readonly responseHeaders: readonly (readonly [name: string, value: string])[]
  readonly moved?: Moved | undefined
}

/** The place to which a verdict rewrites. */
export function movedTo(target: string): Exclude<Moved, { kind: 'nothing' }> {
  if (!target.startsWith('/')) {
    const { origin, pathname, search } = new URL(target)
    return { kind: 'external', origin, pathname, search }
  }
  const { pathname, search } = splitTarget(target)
  const canonical = canonicalPath(pathname, false)
  return { kind: 'path', pathname: canonical.kind === 'redirect' ? canonical.pathname : pathname, search }
}
