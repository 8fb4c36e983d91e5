// Turns an outcome into a response: status, caching, ETag, content security policy, links to the route's files, body. Without a
// header of the author a cache stores only pages that are the same for all clients. Only shape and headers of the response
// are decided here: what it contains was decided in render/.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { describeSpan, isTracing } from '@portico/shared/kit/observe/tracing.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { CACHE_NONE, CACHE_SHARED } from '@portico/shared/wire/caching.ts'
import { HEADERS, INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import { routePreloads } from '@portico/shared/wire/routing/route-preloads.ts'
import { type Representation, staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { NO_FILES } from '../context/context.ts'
import { type AuthorHeaders, encodeLocation, isReading, type Outcome } from '../outcome/outcome.ts'
import type { ResolvedPage } from '../resolve/resolve.ts'

const TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
} as const

/** Alternating names and values: one writeHead with such a list costs half as much as the setHeader calls. */
type HeaderList = string[]

interface SendContext {
  /** Decides the form of errors: a screen or JSON. */
  as: Representation
  buildId: string
  screenPolicy: PolicyHeader | null
  /** The Link header of a route's documents. */
  linksOf?: (route: string) => string | undefined
  /** The document instead of the default screen of an error; receives the id of the request. */
  failureDocument?: ((requestId: string) => string) | undefined
  /** Reported to the gateway where this renderer found the page itself (W9). */
  resolved?: ResolvedPage
}

export async function sendOutcome(
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
  context: SendContext,
): Promise<void> {
  const { as, buildId, resolved } = context
  const isHead = request.method === 'HEAD'
  if (isTracing()) describeSpan(factsOf(outcome, resolved))
  if (resolved?.by === 'renderer') reportResolution(response, resolved)
  if (outcome.kind === 'error') {
    response.setHeader(HEADERS.build, buildId)
    const { screenPolicy, failureDocument } = context
    const document = failureDocument?.(requestIdOf(request))
    const { headers, setCookies = [] } = outcome.author ?? {}
    const sent = { ...headers, ...(setCookies.length > 0 && { 'set-cookie': setCookies }) }
    const content = { ...outcome, screenPolicy, headers: sent, ...(document !== undefined && { document }) }
    return sendError(response, as === 'html' ? 'document' : 'data', content)
  }
  const headers: HeaderList = [HEADERS.build, buildId]
  if (outcome.kind === 'cached') return sendCached(request, response, outcome, headers, context)
  addAuthorHeaders(headers, outcome.author)
  switch (outcome.kind) {
    case 'whole':
      if (outcome.digest) headers.push(INTERNAL_HEADERS.digest, outcome.digest)
      if (outcome.code) response.setHeader(INTERNAL_HEADERS.code, outcome.code)
      addPolicy(headers, outcome.policy)
      // A body that a data function wrote needs none of our files.
      if (outcome.type === 'html' && outcome.contentType === undefined) addLinks(headers, outcome, context)
      return sendBody(response, outcome, headers, isHead)
    case 'redirect':
      headers.push('location', encodeLocation(outcome.location), 'content-length', '0')
      response.writeHead(outcome.status, headers).end()
      return
    case 'stream':
      addPolicy(headers, outcome.policy)
      headers.push('content-type', TYPES[outcome.type])
      if (outcome.type === 'html') addLinks(headers, outcome, context)
      response.writeHead(outcome.status, headers)
      if (!isHead) await outcome.pipe(response)
      response.end()
  }
}

/** With setHeader, which node:http joins with the list of the head: this is rare behind a gateway. */
function reportResolution(response: ServerResponse, { resolution, fault }: ResolvedPage): void {
  if (resolution.kind === 'page') response.setHeader(INTERNAL_HEADERS.route, printable(resolution.entry.pattern))
  if (fault) response.setHeader(INTERNAL_HEADERS.resolvedAgain, fault)
}

/** File names may have characters that no header may have. */
function printable(pattern: string): string {
  return pattern.replace(/[^\x20-\x7e]+/g, encodeURIComponent)
}

function factsOf(outcome: Outcome, resolved: ResolvedPage | undefined) {
  return {
    'portico.resolved_by': resolved?.by,
    'http.route': outcome.route,
    'portico.cache': outcome.kind === 'cached' ? outcome.verdict : undefined,
    'portico.digest': 'digest' in outcome ? outcome.digest : undefined,
  }
}

function sendCached(
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Extract<Outcome, { kind: 'cached' }>,
  headers: HeaderList,
  context: SendContext,
): void {
  const { verdict, status, type, etag } = outcome
  const isShared = status === 200 && isReading(request.method ?? 'GET')
  headers.push(INTERNAL_HEADERS.cache, verdict, 'cache-control', isShared ? CACHE_SHARED : CACHE_NONE)
  if (status === 404) response.setHeader(INTERNAL_HEADERS.code, 'not-found' satisfies ErrorCode)
  for (const cookie of outcome.setCookies ?? []) headers.push('set-cookie', cookie)
  addPolicy(headers, outcome.policy)
  const heldTag = isShared ? notModifiedTag(request.headers['if-none-match'], etag) : undefined
  if (heldTag !== undefined) {
    headers.push('etag', heldTag)
    response.writeHead(304, headers).end()
    return
  }
  if (type === 'html') addLinks(headers, outcome, context)
  if (isShared) headers.push('etag', etag)
  sendBody(response, outcome, headers, request.method === 'HEAD')
}

function addPolicy(headers: HeaderList, policy: PolicyHeader | undefined): void {
  if (policy) headers.push(policy.name, policy.value)
}

function addLinks(
  headers: HeaderList,
  { route, policy }: { route: string; policy?: PolicyHeader | undefined },
  { linksOf }: SendContext,
): void {
  // With this keyword a policy allows only scripts with the nonce, which the link would not have.
  if (policy?.value.includes("'strict-dynamic'")) return
  const links = linksOf?.(route)
  if (links !== undefined) headers.push('link', links)
}

function sendBody(
  response: ServerResponse,
  {
    status,
    type,
    contentType = TYPES[type],
    body,
  }: { status: number; type: 'html' | 'json'; contentType?: string; body: string | Buffer },
  headers: HeaderList,
  isHead: boolean,
): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  headers.push('content-type', contentType, 'content-length', String(length))
  response.writeHead(status, headers).end(isHead ? undefined : body)
}

/** Headers that the page's code set; caches must not store the response unless the code allows it (D2). */
function addAuthorHeaders(list: HeaderList, { headers, setCookies }: AuthorHeaders): void {
  if (headers['cache-control'] === undefined) list.push('cache-control', CACHE_NONE)
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMEWORKS_OWN.has(name)) continue
    for (const each of typeof value === 'string' ? [value] : value) list.push(name, each)
  }
  for (const cookie of setCookies) list.push('set-cookie', cookie)
  // A later call of page code would have no effect: it throws.
  Object.freeze(setCookies)
}

/** Headers that describe the body as sent; page code cannot know their values. */
const FRAMEWORKS_OWN: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
])

/** Proxies in front refuse responses with heads over 4 to 8 KB: half of that remains for all other headers. */
const LONGEST_VALUE = 2048

/** Returns the header's value for a route's documents; each value is built once. */
export function createRouteLinks(
  manifest: Pick<Manifest, 'pages' | 'screens' | 'browserEntry' | 'basePath' | 'assetPrefix'>,
): (route: string) => string | undefined {
  const made = new Map<string, string | undefined>()
  return (route) => {
    if (made.has(route)) return made.get(route)
    // The routes come from the build; a screen that the app folder lacks needs the files that all routes share.
    const entry = [...manifest.pages, ...manifest.screens].find(({ pattern }) => pattern === route)
    const value = linksOf(manifest, entry?.files ?? NO_FILES)
    made.set(route, value)
    return value
  }
}

function linksOf(
  { browserEntry, basePath, assetPrefix = basePath }: Pick<Manifest, 'browserEntry' | 'basePath' | 'assetPrefix'>,
  page: RouteFiles,
): string | undefined {
  const { styles, fonts, scripts } = routePreloads(browserEntry, page)
  let value = ''
  const add = (name: string, how: string) => {
    const link = `${value === '' ? '' : ', '}<${staticUrl(assetPrefix, name)}>; ${how}`
    // The development server's own addresses change with each edit.
    if (!name.startsWith('/') && value.length + link.length <= LONGEST_VALUE) value += link
  }
  for (const name of styles) add(name, 'rel=preload; as=style')
  for (const name of fonts) add(name, 'rel=preload; as=font; crossorigin')
  for (const name of scripts) add(name, 'rel=modulepreload; fetchpriority=low')
  return value === '' ? undefined : value
}
