// The head of every response: what the response has of its own, then what middleware, the rules of the site (R7) and the
// defaults (G6) add, and who may keep it. A header of the response takes precedence over one of middleware, that over a
// rule, a rule over a default. No other file writes Cache-Control. For `portico why` it notes the cause of each header.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderRule, Manifest } from '@portico/shared/wire/build-output.ts'
import { CACHE_NONE, forOneClient, isForSharedCaches } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { fillName, fillText } from '@portico/shared/wire/patterns/destination.ts'
import { isReservedHeader } from '@portico/shared/wire/patterns/reserved-headers.ts'
import { createRuleIndex } from '@portico/shared/wire/patterns/rule-index.ts'
import { type Exchange, exchangeOf, type Guarded, noteRule } from '../exchange/exchange.ts'
import type { ForwardedFacts } from '../headers/headers.ts'
import { factsOf, ruleName, VARY_OF_ROOT } from '../rules/rules.ts'
import type { CdnCaching, CdnFacts } from './cdn.ts'

/** The cause of each header by its name in lower case: a rule by its name, `middleware` or `default`; else the response itself. */
export type HeaderCauses = Map<string, string>

const CAUSES = Symbol('causes')
type Carrier = IncomingMessage & { [CAUSES]?: HeaderCauses }

/** From now on the head writer notes the causes of the response to this request. */
export function noteCauses(request: Carrier): HeaderCauses {
  const causes: HeaderCauses = new Map()
  request[CAUSES] = causes
  return causes
}

/** Undefined for the requests of clients. */
function causesOf(request: Carrier): HeaderCauses | undefined {
  return request[CAUSES]
}

export function addTimings(
  headers: string[],
  timings: string,
  { found: { addedQuery }, pageData }: Pick<Exchange, 'found' | 'pageData'>,
): void {
  if (addedQuery === undefined) headers.push('server-timing', timings)
  else if (pageData) headers.push('server-timing', timings, HEADERS.query, addedQuery)
  else headers.push('server-timing', `${timings}, ${HEADERS.query};desc="${addedQuery}"`)
}

const CACHE_CONTROL = 'cache-control'

/**
 * What Cache-Control is. `always`: this. `response`: what the response itself says, which middleware may replace or keep for its
 * client. `unless-said`: this, or nothing, where neither middleware nor a rule says otherwise. `if-compared`: nothing, but
 * for a response that rules or middleware chose for one client.
 */
type OwnCaching =
  | { by: 'always' | 'response'; text: string }
  | { by: 'unless-said'; text: string | undefined }
  | { by: 'if-compared' }

interface OwnHead extends CdnFacts {
  /** Flat list of names and values without Cache-Control; it is written to. */
  headers: string[]
  /** Whether the response itself has a header, by its name in lower case: neither middleware nor a rule sets it. */
  has: (name: string) => boolean
  caching: OwnCaching
  /** A file that pages of every origin may read, unless middleware or a rule says otherwise. */
  isForAllOrigins?: boolean
  /** A CDN keeps files by their Cache-Control. */
  isFile?: boolean
}

export interface HeadWriter {
  /** Completes the head and gives it to node:http, which sends it with the first bytes of the body. */
  write(request: IncomingMessage, response: ServerResponse, own: OwnHead): void
  /** The complete flat list, for a response that is written elsewhere. */
  complete(request: IncomingMessage, own: OwnHead): string[]
}

interface HeadWriterOptions {
  manifest: Pick<Manifest, 'basePath' | 'i18n' | 'headers' | 'caseSensitiveRoutes'>
  publicOrigins: readonly string[]
  forwarded: (request: IncomingMessage) => ForwardedFacts
  /** Undefined without a CDN. */
  cdn: CdnCaching | undefined
}

/** Compiles rules and defaults once. */
export function createHeadWriter({ manifest, publicOrigins, forwarded, cdn }: HeadWriterOptions): HeadWriter {
  const rules = createRules(manifest, forwarded)
  const defaults = Object.entries(securityHeaders(publicOrigins))
  const forAllOrigins = [...defaults, ['access-control-allow-origin', '*'] as const]

  const complete = (request: IncomingMessage, own: OwnHead): string[] => {
    const { headers, has, caching } = own
    const exchange = exchangeOf(request)
    // What concerns the response itself: rules for headers are compared below.
    const { guarded, comparesClient } = exchange
    headers.push(HEADERS.requestId, exchange.requestId)
    // A separate line: lines of one list are joined (RFC 9110 section 5.3).
    if (exchange.variesByLocale) headers.push('vary', VARY_OF_ROOT)
    const given = guarded && addGuarded(headers, has, guarded)
    const causes = causesOf(request)
    const ruled = rules?.(exchange, request, causes)
    if (ruled)
      for (const [name, value] of ruled)
        if (name !== CACHE_CONTROL && !has(name) && !given?.has(name)) headers.push(name, value)
    for (const [name, value] of own.isForAllOrigins ? forAllOrigins : defaults)
      if (!has(name) && !given?.has(name) && !ruled?.has(name)) headers.push(name, value)
    const said = cacheControlOf(caching, ruled?.get(CACHE_CONTROL), exchange, comparesClient)
    if (causes) noteOthers(causes, { own, given, ruled, defaults, said })
    const text = cdn && !own.isFile ? cdn.add(headers, exchange, said, own) : said
    if (text !== undefined) headers.push(CACHE_CONTROL, text)
    return headers
  }
  return {
    complete,
    write(request, response, own) {
      response.writeHead(own.status, complete(request, own))
    },
  }
}

/** `ruled`: the value of a rule. `comparesClient`: rules or middleware chose the response for one client. */
function cacheControlOf(
  own: OwnCaching,
  ruled: string | undefined,
  { guarded, notes: { code } }: Exchange,
  comparesClient: boolean,
): string | undefined {
  if (own.by === 'always') return own.text
  // Middleware decides for what it let pass: an error is nothing of the kind.
  const given = code === undefined ? guarded?.responseHeaders.find(([name]) => name === CACHE_CONTROL)?.[1] : undefined
  // SECURITY: the next client may be one whom middleware refuses: no shared cache stores the response unless middleware says so.
  if (own.by === 'response') return guarded ? (given ?? forOneClient(own.text)) : own.text
  const said = given ?? ruled
  if (said !== undefined) return said
  if (own.by === 'unless-said') return own.text
  // SECURITY: caches store 301 and 308 without Cache-Control: one client's redirect must not reach another.
  return comparesClient ? CACHE_NONE : undefined
}

/** The headers of the rules that fit a request, by name in lower case. Undefined where there are no rules. */
function createRules(
  { basePath, i18n, headers, caseSensitiveRoutes }: HeadWriterOptions['manifest'],
  forwarded: HeadWriterOptions['forwarded'],
) {
  const index = createRuleIndex<HeaderRule>(headers, i18n, caseSensitiveRoutes)
  if (index.isEmpty) return undefined
  const names = headers.map((_rule, order) => ruleName('headers', order))
  return (exchange: Exchange, request: IncomingMessage, causes: HeaderCauses | undefined): Map<string, string> => {
    const found = new Map<string, string>()
    // The data of a page gets the headers of the page.
    const path = exchange.pageData?.pathname ?? exchange.path
    const whole = exchange.pageData ? basePath + exchange.pageData.pathname : exchange.pathname
    for (const { rule, params, order } of index.matches(path, whole, factsOf(request, exchange.search, forwarded))) {
      noteRule(exchange, names[order]!)
      for (const { key, value } of rule.headers) {
        const name = fillName(key, params)?.toLowerCase()
        // SECURITY: a parameter, or the manifest of an earlier build, could make a name that the build refuses.
        if (name === undefined || isReservedHeader(name)) continue
        found.set(name, fillText(value, params))
        causes?.set(name, `${names[order]} (${rule.source})`)
      }
    }
    return found
  }
}

interface HeadSources {
  own: OwnHead
  given: ReadonlySet<string> | undefined
  ruled: ReadonlyMap<string, string> | undefined
  defaults: readonly (readonly [name: string, value: string])[]
  said: string | undefined
}

/** The causes of all headers that no rule set, and of Cache-Control. */
function noteOthers(causes: HeaderCauses, { own: { has, caching }, given = NONE, ruled, defaults, said }: HeadSources) {
  for (const name of ruled?.keys() ?? [])
    if (name !== CACHE_CONTROL && (has(name) || given.has(name))) causes.delete(name)
  for (const name of given) causes.set(name, 'middleware')
  for (const [name] of defaults) if (!has(name) && !given.has(name) && !ruled?.has(name)) causes.set(name, 'default')
  if (given.has(CACHE_CONTROL)) causes.set(CACHE_CONTROL, 'middleware')
  else if (said !== ruled?.get(CACHE_CONTROL)) causes.delete(CACHE_CONTROL)
  if ('text' in caching && said === caching.text) causes.delete(CACHE_CONTROL)
}

const NONE: ReadonlySet<string> = new Set()

/** Each response has its own line of these. */
const REPEATED: ReadonlySet<string> = new Set(['set-cookie', 'vary'])
/** Cache-Control is decided apart; the type is that of the body which is sent. */
const OTHERWISE: ReadonlySet<string> = new Set([CACHE_CONTROL, 'content-type'])

/**
 * Adds what middleware set (X15) but headers that the response sets itself, and takes what the response permits shared
 * caches. Returns the names that no rule sets any more.
 */
function addGuarded(
  headers: string[],
  has: (name: string) => boolean,
  { responseHeaders }: Guarded,
): ReadonlySet<string> {
  for (let at = headers.length - 2; at >= 0; at -= 2)
    if (isForSharedCaches(headers[at]!.toLowerCase())) headers.splice(at, 2)
  const added = new Set<string>()
  const cookies: string[] = []
  for (const [name, value] of responseHeaders) {
    if (OTHERWISE.has(name) || (!REPEATED.has(name) && has(name))) continue
    if (name === 'set-cookie') cookies.push(name, value)
    else headers.push(name, value)
    if (!REPEATED.has(name)) added.add(name)
  }
  // SECURITY: of two cookies with one name browsers keep the last. A page or handler that ends a session must have the last
  // word over middleware that renews it, as in Next.js.
  headers.unshift(...cookies)
  return added
}

/** The defaults, names in lower case. The renderer alone decides the Content-Security-Policy of its pages. */
function securityHeaders(publicOrigins: readonly string[]): Readonly<Record<string, string>> {
  const isHttps = publicOrigins.length > 0 && publicOrigins.every((origin) => origin.startsWith('https:'))
  return {
    'x-content-type-options': 'nosniff',
    // Not no-referrer: with it browsers post forms with `Origin: null`, which the cross-site check refuses (A4).
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': 'browsing-topics=()',
    // Only where the site is known to be on https. One year, as the preload lists require; no includeSubDomains, because the
    // site does not decide for other names.
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}
