// A page with getServerSideProps: rendered for each request, stored by no cache (D2).

import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { DocumentNonce, RequestContext } from '@portico/shared/wire/bundles.ts'
import { HEADERS, PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { controlFlowOf, type RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { locationOnSite, parseQuery } from '@portico/shared/wire/routing/urls.ts'
import { callDataFunction, type DataResult } from '../resolve/data-functions.ts'
import { encodeLocation } from '../resolve/locations.ts'
import { createPageResponse, type PageResponse } from '../resolve/page-response.ts'
import { mayBeReused, sharedByRules, withoutReuse } from '../resolve/reuse.ts'
import { createDocumentNonce, needsNonce } from '../send/content-security-policy.ts'
import type { AuthorHeaders, Outcome, PageRequest } from './outcome.ts'
import { contextOf, hydrationOf, policyOf, type RenderDeps, renderThroughBundle } from './render-deps.ts'

export interface ServerPage {
  entry: PageEntry
  params: RouteParams
  pathname: string
  search: string
}

/** The caller renders the screen. */
export interface NotFound {
  kind: 'not-found'
  setCookies?: string[]
  /** For the browser's prefetched data (P4). */
  isSessionChanged?: boolean
}

/** Throws what the page throws. */
export async function renderServerPage(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
): Promise<Outcome | NotFound> {
  const work = workOf(request.signal)
  const nonce = createDocumentNonce()
  if (needsNonce(deps.policies.of(page.entry.pattern))) nonce.read()
  const response = createPageResponse()
  const sharedNames = sharedByRules(deps.manifest.headers, request.pathname)
  const mayBeShared = () => mayBeReused(response.headers) || sharedNames.length > 0
  let isPersonal = false
  const context: RequestContext = {
    ...contextOf(deps, { ...request, signal: work.signal }, 'page', page.entry.pattern),
    readNonce: nonce.read,
    onSession(use) {
      // SECURITY: no cache may keep what was made for one client, nor its session's cookie.
      if (!isPersonal && mayBeShared() && Object.isFrozen(context.setCookies))
        throw new Error(`${page.entry.pattern}: the session was first read after the head of a response for caches`)
      isPersonal = true
      if (use === 'changed') response.setHeader(HEADERS.session, 'changed')
    },
  }
  const author = (): AuthorHeaders => ({
    headers: isPersonal ? withoutReuse(response.headers, sharedNames) : response.headers,
    setCookies: context.setCookies,
  })
  return deps.bundle.runWithContext(context, async () => {
    const result = await runDataFunction(deps, page, request, context, response, work)
    if (result.kind === 'not-found') return notFoundOf(author())
    const route = page.entry.pattern
    if (result.kind === 'redirect') return redirectOutcome(deps, route, result, request, author())
    if (response.body) return ownBodyOutcome(deps, route, response, author())
    // SECURITY: clients that receive one HTML from a cache would share its keys, and the second client would get the
    // response of the first (A5).
    if (mayBeShared() && !isPersonal) delete context.createSubmissionKey
    const status = request.inner?.status ?? response.statusCode
    if (request.as === 'data') {
      const body = JSON.stringify({ kind: 'page', route, params: page.params, props: result.props })
      refuseHuge(body, route)
      return { kind: 'whole', route, status: 200, type: 'json', body, author: author() }
    }
    return renderDocument(deps, page, request, { props: result.props, status, author, nonce, sharedNames })
  })
}

/**
 * Cookies of `res.setHeader` and `cookies()`: both are sent with the not-found screen, which has nothing else of the
 * page.
 */
function notFoundOf({ headers, setCookies }: AuthorHeaders): NotFound {
  const isSessionChanged = headers[HEADERS.session] !== undefined
  return { kind: 'not-found', setCookies: [headers['set-cookie'] ?? [], setCookies].flat(), isSessionChanged }
}

/**
 * The body that the data function wrote. A browser that requested page data receives another type than JSON and loads
 * the address in full (N5), which is the purpose of such an address.
 */
function ownBodyOutcome(
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

async function runDataFunction(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
  context: RequestContext,
  res: unknown,
  work: AbortController,
): Promise<DataResult> {
  const { entry, params } = page
  const module = await deps.bundle.pages[entry.pattern]!()
  if (!module.getServerSideProps) throw new Error(`${entry.pattern}: the bundle has no getServerSideProps`)
  return callDataFunction({
    route: entry.pattern,
    name: 'getServerSideProps',
    run: module.getServerSideProps,
    work,
    timeoutMs: deps.dataTimeoutMs,
    context: {
      params,
      query: { ...parseQuery(page.search), ...params },
      resolvedUrl: page.pathname + page.search,
      req: { method: request.method, url: request.url, headers: request.headers, cookies: context.cookies },
      res,
    },
  })
}

/** Aborts when the client disconnects, or earlier. */
function workOf(signal: AbortSignal): AbortController {
  const work = new AbortController()
  if (signal.aborted) work.abort(signal.reason)
  else signal.addEventListener('abort', () => work.abort(signal.reason), { once: true })
  return work
}

interface Rendered {
  props: Record<string, unknown>
  status: number
  author: () => AuthorHeaders
  nonce: DocumentNonce
  /** See `sharedByRules`. */
  sharedNames: string[]
}

async function renderDocument(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
  rendered: Rendered,
): Promise<Outcome | NotFound> {
  const route = page.entry.pattern
  const { props, status, author, nonce, sharedNames } = rendered
  const hydration = hydrationOf(deps, {
    route,
    params: page.params,
    props,
    status,
    url: request.url,
    ...(request.inner?.formState !== undefined && { formState: request.inner.formState }),
  })
  try {
    const { whole, signal, requestId } = request
    const result = await renderThroughBundle(deps, hydration, { whole, signal, requestId, nonce })
    const policy = policyOf(deps, route, result, nonce.value)
    const sent = author()
    // SECURITY: a stored nonce would be known to everyone who reads the page, and would allow the scripts that they
    // inject (G6).
    if (nonce.value !== undefined) sent.headers = withoutReuse(sent.headers, sharedNames)
    if (result.kind === 'stream') return { kind: 'stream', route, status, policy, pipe: result.pipe, author: sent }
    refuseHuge(result.html, route)
    return { kind: 'whole', route, status, type: 'html', policy, body: result.html, author: sent }
  } catch (thrown) {
    const flow = controlFlowOf(thrown)
    if (flow?.kind === 'not-found') return notFoundOf(author())
    if (flow?.kind === 'redirect') return redirectOutcome(deps, route, flow, request, author())
    throw thrown
  }
}

type RedirectTarget = { location: string; status: RedirectStatus }

export function redirectOutcome(
  deps: RenderDeps,
  route: string,
  target: RedirectTarget,
  request: PageRequest,
  author: AuthorHeaders,
): Outcome {
  const { status } = target
  if (request.as === 'html') return { kind: 'redirect', route, location: locationOf(deps, target), status, author }
  return { kind: 'whole', route, status: 200, type: 'json', body: redirectData(deps, target), author }
}

/** The address to which a document redirects; not yet encoded for the header. */
export function locationOf({ manifest }: RenderDeps, { location }: RedirectTarget): string {
  const { basePath, trailingSlash } = manifest
  return locationOnSite({ basePath, trailingSlash, isPublicFile: publicFileTest(manifest) }, location)
}

/** The page data of a redirect (W2): the browser adds basePath and slash itself. */
export function redirectData({ manifest }: RenderDeps, { location, status }: RedirectTarget): string {
  const site = { basePath: '', trailingSlash: false, isPublicFile: publicFileTest(manifest) }
  return JSON.stringify({ kind: 'redirect', location: encodeLocation(locationOnSite(site, location)), status })
}

function publicFileTest({ publicFiles }: Manifest): (path: string) => boolean {
  return (path) => Object.hasOwn(publicFiles, path)
}

/** Throws an error for a response that is too large. */
export function refuseHuge(body: string, route: string): void {
  if (body.length > PAGE_DATA_LIMIT)
    throw new Error(`${route}: the response has ${body.length} characters; the limit is ${PAGE_DATA_LIMIT}`)
}
