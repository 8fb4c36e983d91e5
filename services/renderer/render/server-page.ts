// A page with getServerSideProps or initial props: its data function and its document for each request, stored by no cache (D2,
// X11), and whether a cache may show its HTML more than once, by the headers of the page's code and the header rules of the
// site.

import type { HeaderRule, Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { ByteSink, DataFunctionContext, DocumentNonce, RequestContext } from '@portico/shared/wire/bundles.ts'
import { isForSharedCaches, parseCacheControl } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { type ControlFlow, controlFlowOf, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { prefixed, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import type { DocumentClient } from '@portico/shared/wire/next/initial-props.ts'
import { comparablePath } from '@portico/shared/wire/patterns/comparable-path.ts'
import { type CompiledPattern, compilePattern, matchComparable } from '@portico/shared/wire/patterns/path-patterns.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { contextOf, createErrorLog, hydrationOf, type RenderDeps } from '../context/context.ts'
import { type AuthorHeaders, isReading, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import {
  bodyOf,
  createPageRequest,
  createPageResponse,
  draftMembers,
  draftRemovalOf,
  isForDraft,
  type PageResponse,
  paramsShown,
  placeOf,
  previewMarkOf,
  requestSeen,
} from './data-arguments.ts'
import { callDataFunction, type DataResult, workOf } from './data-functions.ts'
import { createDocumentNonce, needsNonce, policyOf, renderThroughBundle } from './document.ts'
import { loadInitialProps, withAppProps } from './initial-props.ts'
import { locationInBrowser, type PageProps, pageDataOutcome, redirectOutcome, refuseHuge } from './page-outcomes.ts'

/** The caller renders the screen. */
export interface NotFound {
  kind: 'not-found'
  setCookies?: string[]
  /** For the browser's prefetched data (P4). */
  isSessionChanged?: boolean
}

/** Page code called unauthorized() or forbidden(); the caller renders the screen. */
interface Refused {
  kind: 'refused'
  status: RefusalStatus
  author: AuthorHeaders
}

/** Throws what the page throws. */
export async function renderServerPage(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
): Promise<Outcome | NotFound | Refused> {
  const work = workOf(request.signal)
  const nonce = createDocumentNonce()
  if (needsNonce(deps.policies.of(page.entry.pattern))) nonce.read()
  const response = createPageResponse()
  const sharedNames = sharedByRules(deps.manifest, request.pathname)
  const mayBeShared = () => mayBeReused(response.headers) || sharedNames.length > 0
  // SECURITY: what a page makes of a body is for the client that sent it, and a draft for the client that may see it.
  let isPersonal = !isReading(request.method) || isForDraft(request)
  const context: RequestContext = {
    ...contextOf(deps, { ...request, signal: work.signal }, 'page', page.entry.pattern),
    readNonce: nonce.read,
    setHeader: (name, value) => void response.setHeader(name, value),
    onSession(use) {
      // SECURITY: no cache may keep what was made for one client, nor its session's cookie.
      if (!isPersonal && mayBeShared() && Object.isFrozen(context.setCookies))
        throw new Error(`${page.entry.pattern}: the session was first read after the head of a response for caches`)
      isPersonal = true
      if (use === 'changed') response.setHeader(HEADERS.session, 'changed')
    },
  }
  context.setCookies.push(...draftRemovalOf(request))
  const author = ({ isPrivate } = { isPrivate: false }): AuthorHeaders => ({
    headers: isPrivate || isPersonal ? withoutReuse(response.headers, sharedNames) : response.headers,
    setCookies: context.setCookies,
  })
  return deps.bundle.runWithContext(context, async () => {
    const onError = createErrorLog(deps, page.entry.pattern, request)
    const client = {
      req: createPageRequest(page.entry, requestSeen(deps.manifest, request), context.cookies),
      res: response,
    }
    const shown = { ...page, params: paramsShown(deps.manifest, page, request) }
    const run = { params: shown.params, client, work, requestContext: context, onError }
    const result = await runDataFunction(deps, page, request, run)
    const route = page.entry.pattern
    if (result.kind !== 'props') return withoutPage(deps, route, result, request, author())
    if (response.body) return ownBodyOutcome(deps, route, response, author())
    // SECURITY: clients that receive one HTML from a cache would share its keys, and the second client would get the
    // response of the first (A5).
    if (mayBeShared() && !isPersonal) delete context.createSubmissionKey
    const { props, deferred } = result
    const rendered: Rendered = { props, deferred, client, author, nonce, onError, onHead: () => response.seal() }
    return request.as === 'html'
      ? renderDocument(deps, shown, request, rendered)
      : pageDataOutcome(shown, request, { ...rendered, status: statusOf(request, response) })
  })
}

function statusOf({ inner }: PageRequest, response: PageResponse): number {
  return inner?.status ?? response.statusCode
}

/** How a request ends whose page code threw or returned control flow. */
function withoutPage(
  deps: RenderDeps,
  route: string,
  flow: ControlFlow,
  request: PageRequest,
  author: AuthorHeaders,
): Outcome | NotFound | Refused {
  switch (flow.kind) {
    case 'not-found':
      return notFoundOf(author)
    case 'refused': {
      // RFC 9110 section 11.6.1: the challenge of a 401.
      const challenge = author.headers['www-authenticate']
      const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
      return { kind: 'refused', status: flow.status, author: { headers, setCookies: allCookiesOf(author) } }
    }
    case 'redirect':
      return redirectOutcome(deps, route, flow, request, author)
  }
}

function notFoundOf({ headers, setCookies }: AuthorHeaders): NotFound {
  const isSessionChanged = headers[HEADERS.session] !== undefined
  return { kind: 'not-found', setCookies: allCookiesOf({ headers, setCookies }), isSessionChanged }
}

/**
 * Cookies of `res.setHeader` and `cookies()`: both are sent with the screen, which has nothing else of the page.
 */
function allCookiesOf({ headers, setCookies }: AuthorHeaders): string[] {
  return [headers['set-cookie'] ?? [], setCookies].flat()
}

/**
 * The body that the data function wrote. A browser that requested page data receives another type than JSON and loads
 * the address in full (N5), which is the purpose of such an address.
 */
export function ownBodyOutcome(
  deps: RenderDeps,
  route: string,
  { statusCode: status, headers, body = Buffer.alloc(0) }: PageResponse,
  author: AuthorHeaders,
) {
  const type = headers['content-type']
  const contentType = typeof type === 'string' ? type : 'text/plain; charset=utf-8'
  const policy = policyOf(deps, route, { scriptHashes: [] })
  return { kind: 'whole', route, status, type: 'html', policy, contentType, body, author } as const
}

interface Rendered extends PageProps {
  /** The arguments of the data function, and of getInitialProps of `_document`. */
  client: { req: unknown; res: PageResponse }
  nonce: DocumentNonce
  onError: (error: unknown) => string
}

async function renderDocument(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
  rendered: Rendered,
): Promise<Outcome | NotFound | Refused> {
  const route = page.entry.pattern
  const { props, deferred, client, author, nonce, onError, onHead } = rendered
  const hydration = hydrationOf(deps, {
    route,
    params: page.params,
    locale: page.locale,
    props,
    status: statusOf(request, client.res),
    url: request.url,
    isReady: true,
    ...(request.inner?.formState !== undefined && { formState: request.inner.formState }),
  })
  try {
    const { whole, isWholeRequested, signal } = request
    const options = { whole, isWholeRequested, signal, onError, nonce, deferred, client: () => client }
    const result = await renderThroughBundle(deps, hydration, options)
    if (client.res.body) return ownBodyOutcome(deps, route, client.res, author())
    const status = statusOf(request, client.res)
    const policy = policyOf(deps, route, result, nonce.value)
    // SECURITY: a stored nonce would be known to every client that reads the page, and would allow the scripts that such
    // a client injects (G6).
    const sent = author({ isPrivate: nonce.value !== undefined || isWholeRequested === true })
    if (result.kind === 'stream') {
      const pipe = (sink: ByteSink) => {
        onHead()
        return result.pipe(sink)
      }
      return { kind: 'stream', route, status, type: 'html', policy, pipe, author: sent }
    }
    refuseHuge(result.html, route)
    return { kind: 'whole', route, status, type: 'html', policy, body: result.html, author: sent }
  } catch (thrown) {
    const flow = controlFlowOf(thrown)
    if (!flow) throw thrown
    return withoutPage(deps, route, flow, request, author())
  }
}

export interface ServerPage {
  entry: PageEntry
  params: RouteParams
  pathname: string
  search: string
  /** In a site with locales (X14). */
  locale?: string
}

interface DataRun {
  /** As the browser has them. */
  params: RouteParams
  client: DocumentClient
  work: AbortController
  requestContext: RequestContext
  onError: (error: unknown) => string
}

async function runDataFunction(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
  run: DataRun,
): Promise<DataResult> {
  const { entry } = page
  const { client, work, requestContext, onError } = run
  return callDataFunction({
    route: entry.pattern,
    ...(await functionOf(deps, page, request, run)),
    work,
    timeoutMs: deps.dataTimeoutMs,
    requestContext,
    body: bodyOf(entry, request),
    context: { ...placeOf(deps.manifest, page, request), ...client, ...draftMembers(request.draft) },
    failureOf: (error) => {
      const flow = controlFlowOf(error)
      if (flow?.kind === 'redirect') return { ...flow, location: locationInBrowser(deps, flow) }
      // No client reads the digest of an aborted request.
      return flow ?? { digest: request.signal.aborted ? '' : onError(error) }
    },
  })
}

async function functionOf(
  deps: RenderDeps,
  { entry, locale }: ServerPage,
  { url, draft }: PageRequest,
  { params, client }: DataRun,
) {
  const route = entry.pattern
  const initial = {
    hydration: hydrationOf(deps, { route, params, locale, props: {}, status: 200, url, isReady: true }),
    client,
  }
  if (entry.data === 'initial') {
    const run = async (_context: DataFunctionContext) => ({ props: await loadInitialProps(deps, initial) })
    return { name: 'getInitialProps', run, isPlainJson: true }
  }
  const { getServerSideProps } = await deps.bundle.pages[route]!()
  if (!getServerSideProps) throw new Error(`${route}: the bundle has no getServerSideProps`)
  const mark = previewMarkOf(deps.manifest.semantics, draft)
  return { name: 'getServerSideProps', run: withAppProps(deps, initial, getServerSideProps), mark }
}

/**
 * False only if the headers forbid every reuse (RFC 9111 section 5.2.2): without Cache-Control the renderer sends
 * `private, no-store`. A shared cache may send one response to several waiting clients even if it must validate later.
 */
function mayBeReused(headers: PageResponse['headers']): boolean {
  if (Object.keys(headers).some(isForSharedCaches)) return true
  const value = headers['cache-control']
  if (value === undefined) return false
  const directives = parseCacheControl(value)
  // A directive with a value, as in `private="set-cookie"`, is about these fields only.
  const has = (name: string) => directives.get(name) === ''
  return !has('no-store') && !(has('private') && (has('no-cache') || directives.get('max-age') === '0'))
}

type RuleTables = Pick<Manifest, 'headers' | 'basePath' | 'i18n'>

/** The patterns of rules with headers for shared caches, and the names of these headers in lower case. */
const sharedPaths = new WeakMap<readonly HeaderRule[], SharedPath[]>()

interface SharedPath {
  pattern: CompiledPattern
  names: string[]
  /** The pattern is compared with the path with basePath. */
  isWhole: boolean
}

/**
 * The headers for shared caches that rules add to the path, under any conditions. Cache-Control of a rule counts for no
 * such page, because the renderer sends its own.
 */
export function sharedByRules({ headers: rules, basePath, i18n }: RuleTables, pathname: string): string[] {
  let paths = sharedPaths.get(rules)
  if (!paths) {
    paths = rules.flatMap(({ source, headers, basePath: own }) => {
      const names = headers.map(({ key }) => key.toLowerCase()).filter(isForSharedCaches)
      return names.length > 0 ? [{ pattern: compilePattern(source), names, isWhole: own === false }] : []
    })
    sharedPaths.set(rules, paths)
  }
  if (paths.length === 0) return []
  // A header too many is refused at worst: rules with and without `locale: false` are compared alike.
  const below = spellingsOf(i18n, pathname).map((path) => comparablePath(path))
  const whole = basePath === '' ? below : [comparablePath(basePath + pathname)]
  return paths.flatMap(({ pattern, names, isWhole }) =>
    (isWhole ? whole : below).some((path) => matchComparable(pattern, path)) ? names : [],
  )
}

/** With which paths rules are compared: without the prefix of a locale, and with one. */
function spellingsOf(i18n: RuleTables['i18n'], path: string): string[] {
  if (!i18n) return [path]
  const { locale, pathname } = splitLocale(i18n, path)
  return [pathname, prefixed(locale, pathname)]
}

/** Headers by which page code lets browsers store a document, or compare it with a stored one. */
const FOR_STORED: ReadonlySet<string> = new Set(['cache-control', 'expires', 'etag'])

/**
 * The headers of a document that no cache may keep, whatever page code and rules say; the renderer adds its own
 * Cache-Control. A header of the response takes precedence over that of a rule.
 */
export function withoutReuse(headers: PageResponse['headers'], namesByRules: string[]): PageResponse['headers'] {
  const kept = Object.entries(headers).filter(([name]) => !FOR_STORED.has(name) && !isForSharedCaches(name))
  // Zero is the only value with which nginx stores nothing.
  const refused = namesByRules.map((name) => [name, name === 'x-accel-expires' ? '0' : 'no-store'])
  return Object.fromEntries([...kept, ...refused])
}
