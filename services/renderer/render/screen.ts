// Screens: of paths without a page, of refusals and of failures (E4). With a data function or initial props a screen is made
// for the client whose request failed (X11). If the app folder's own screen fails, the outcome is an error, for which
// send/ has the default screen.

import type { DataFunctionContext, RequestContext } from '@portico/shared/wire/bundles.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { isUnavailable } from '@portico/shared/wire/errors/unavailable.ts'
import type { InitialPage } from '@portico/shared/wire/next/initial-props.ts'
import {
  contextOf,
  createErrorLog,
  entryOf,
  type Hydrated,
  hydrationOf,
  logError,
  NO_FILES,
  type RenderDeps,
} from '../context/context.ts'
import { type AuthorHeaders, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import { createPageRequest, createPageResponse, requestSeen } from './data-arguments.ts'
import { callDataFunction, workOf } from './data-functions.ts'
import { policyOf, renderDocumentWhole, renderThroughBundle } from './document.ts'
import { loadInitialProps, withAppProps } from './initial-props.ts'
import { redirectOutcome } from './page-outcomes.ts'
import { ownBodyOutcome, withoutReuse } from './server-page.ts'

interface ScreenFunction {
  name: 'getServerSideProps' | 'getStaticProps' | 'getInitialProps'
  run: (page: InitialPage) => (context: DataFunctionContext) => unknown
}

/** The data function of a screen, which the app folder may lack. */
async function functionOf(deps: RenderDeps, route: string): Promise<ScreenFunction | undefined> {
  const { pages, initialProps } = deps.bundle
  const { getServerSideProps, getStaticProps } = (await pages[route]?.()) ?? {}
  if (getServerSideProps)
    return { name: 'getServerSideProps', run: (page) => withAppProps(deps, page, getServerSideProps) }
  if (getStaticProps) return { name: 'getStaticProps', run: (page) => withAppProps(deps, page, getStaticProps) }
  if (!(await initialProps?.has(route))) return undefined
  return { name: 'getInitialProps', run: (page) => async () => ({ props: await loadInitialProps(deps, page) }) }
}

/** What a page has thrown is a fault of the page, unless a service that the page needs was away. */
export function failureCode(thrown: unknown): ErrorCode {
  return isUnavailable(thrown) ? 'api-unavailable' : 'internal'
}

/** Whether a screen is made for each client. */
export async function isForEachClient(deps: RenderDeps, route: string): Promise<boolean> {
  const { name = 'getStaticProps' } = (await functionOf(deps, route)) ?? {}
  return name !== 'getStaticProps'
}

/** `error`: what the page has thrown. */
async function renderScreenDocument(
  deps: RenderDeps,
  screen: Hydrated,
  request: PageRequest,
  { error }: Pick<InitialPage, 'error'> = {},
): Promise<Outcome> {
  const { route } = screen
  const own = await functionOf(deps, route)
  if (!own) return renderDocumentWhole(deps, screen, request)
  const work = workOf(request.signal)
  const res = createPageResponse()
  const context: RequestContext = {
    ...contextOf(deps, { ...request, signal: work.signal }, 'page', route),
    setHeader: (name, value) => void res.setHeader(name, value),
  }
  res.statusCode = screen.status
  // SECURITY: no cache may keep what was made for one client.
  const author = (): AuthorHeaders => ({ headers: withoutReuse(res.headers, []), setCookies: context.setCookies })
  return deps.bundle.runWithContext(context, async () => {
    const entry = entryOf(deps.manifest, route) ?? { pattern: route, file: '', data: 'initial', files: NO_FILES }
    const client = { req: createPageRequest(entry, requestSeen(deps.manifest, request), context.cookies), res }
    const hydration = { ...screen, isReady: true }
    const onError = createErrorLog(deps, route, request)
    const result = await callDataFunction({
      route,
      name: own.name,
      run: own.run({ hydration: hydrationOf(deps, hydration), client, error }),
      work,
      timeoutMs: deps.dataTimeoutMs,
      requestContext: context,
      context: own.name === 'getServerSideProps' ? { query: {}, resolvedUrl: request.url, ...client } : {},
      isPlainJson: true,
      failureOf: (failure) => ({ digest: onError(failure) }),
    })
    if (result.kind === 'redirect') return redirectOutcome(deps, route, result, request, author())
    if (result.kind !== 'props') throw new Error(`${own.name} of ${route} must return props or redirect`)
    if (res.body) return ownBodyOutcome(deps, route, res, author())
    const shown = hydrationOf(deps, { ...hydration, props: { ...screen.props, ...result.props } })
    const options = { whole: true, signal: work.signal, onError, client: () => client }
    const rendered = await renderThroughBundle(deps, { ...shown, status: res.statusCode }, options)
    if (rendered.kind !== 'html') throw new Error(`${route}: a whole document cannot be streamed`)
    if (res.body) return ownBodyOutcome(deps, route, res, author())
    const policy = policyOf(deps, route, rendered)
    return { kind: 'whole', route, status: res.statusCode, type: 'html', policy, body: rendered.html, author: author() }
  })
}

/** Adds what the page itself has set. */
function withAuthor(outcome: Outcome, { headers, setCookies }: AuthorHeaders = NO_AUTHOR_HEADERS): Outcome {
  if (outcome.kind === 'cached') return outcome
  const { author = NO_AUTHOR_HEADERS } = outcome
  return {
    ...outcome,
    author: { headers: { ...author.headers, ...headers }, setCookies: [...setCookies, ...author.setCookies] },
  }
}

/** The screen of a path without a page, for one client. */
export async function renderNotFoundScreen(
  deps: RenderDeps,
  request: PageRequest,
  { route, locale, setCookies }: { route: string; locale: string | undefined; setCookies: string[] },
): Promise<Outcome> {
  const screen = { route, params: {}, locale, props: { statusCode: 404 }, status: 404, url: request.url }
  const outcome = await renderScreenDocument(deps, screen, { ...request, inner: {} })
  return { ...withAuthor(outcome, { headers: {}, setCookies }), ...codeOf(outcome, 'not-found') }
}

/** Seconds after which a client may try again, as in the gateway. */
const AWAY: AuthorHeaders = { headers: { 'retry-after': '1' }, setCookies: [] }

/** The screen of a failure; the default screen if the app folder's own fails too. */
export async function renderFailure(
  deps: RenderDeps,
  request: PageRequest,
  digest: string,
  thrown: unknown,
): Promise<Outcome> {
  const code = failureCode(thrown)
  const author = ERROR_CATALOGUE[code].status === 503 ? { author: AWAY } : {}
  try {
    return await renderScreen(deps, request, code, { digest, thrown, ...author })
  } catch (error) {
    logError(deps, error, '/500', request)
    return { kind: 'error', route: '/500', code, digest, ...author }
  }
}

export async function renderScreen(
  deps: RenderDeps,
  request: PageRequest,
  code: ErrorCode,
  { thrown, ...more }: { digest?: string; author?: AuthorHeaders; thrown?: unknown } = {},
): Promise<Outcome> {
  const { status } = ERROR_CATALOGUE[code]
  if (request.as !== 'html') return { kind: 'error', route: '/_error', code, ...more }
  const digest = more.digest === undefined ? {} : { digest: more.digest }
  const props = { statusCode: status, ...digest }
  const route = status === 500 && entryOf(deps.manifest, '/500') ? '/500' : '/_error'
  const screen = { route, params: {}, props, status, url: request.url, ...digest }
  const outcome = await renderScreenDocument(deps, screen, request, { error: thrown })
  return { ...withAuthor(outcome, more.author), ...codeOf(outcome, code), ...digest }
}

/** Code of the screen may have sent another response. */
function codeOf({ kind, ...outcome }: Outcome, code: ErrorCode): { code?: ErrorCode } {
  return kind === 'whole' && !('contentType' in outcome) ? { code } : {}
}
