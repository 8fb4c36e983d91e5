// A page with getServerSideProps or initial props: rendered for each request, stored by no cache (D2, X11).

import type { ByteSink, DocumentNonce, RequestContext } from '@portico/shared/wire/bundles.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { type ControlFlow, controlFlowOf, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { draftRemovalOf, isForDraft } from '../resolve/draft-mode.ts'
import { createPageRequest } from '../resolve/page-request.ts'
import { createPageResponse, type PageResponse } from '../resolve/page-response.ts'
import { mayBeReused, sharedByRules, withoutReuse } from '../resolve/reuse.ts'
import { paramsShown, requestSeen } from '../resolve/rewritten-page.ts'
import { isReading } from '../resolve/taken-requests.ts'
import { createDocumentNonce, needsNonce } from '../send/content-security-policy.ts'
import { redirectOutcome } from '../send/redirect-outcome.ts'
import type { AuthorHeaders, Outcome, PageRequest } from './outcome.ts'
import { type PageProps, pageDataOutcome, refuseHuge } from './page-data-outcome.ts'
import {
  contextOf,
  createErrorLog,
  hydrationOf,
  policyOf,
  type RenderDeps,
  renderThroughBundle,
} from './render-deps.ts'
import { runDataFunction, type ServerPage, workOf } from './run-data-function.ts'

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
