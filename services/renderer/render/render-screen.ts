// The document of a screen: with a data function or initial props it is made for the client whose request failed (X11).

import type { DataFunctionContext, RequestContext } from '@portico/shared/wire/bundles.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { isUnavailable } from '@portico/shared/wire/errors/unavailable.ts'
import type { InitialPage } from '@portico/shared/wire/next/initial-props.ts'
import { callDataFunction } from '../resolve/data-functions.ts'
import { createPageRequest } from '../resolve/page-request.ts'
import { createPageResponse } from '../resolve/page-response.ts'
import { withoutReuse } from '../resolve/reuse.ts'
import { requestSeen } from '../resolve/rewritten-page.ts'
import { redirectOutcome } from '../send/redirect-outcome.ts'
import { loadInitialProps, withAppProps } from './initial-props.ts'
import { type AuthorHeaders, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from './outcome.ts'
import {
  contextOf,
  createErrorLog,
  entryOf,
  type Hydrated,
  hydrationOf,
  NO_FILES,
  policyOf,
  type RenderDeps,
  renderDocumentWhole,
  renderThroughBundle,
} from './render-deps.ts'
import { workOf } from './run-data-function.ts'
import { ownBodyOutcome } from './server-page.ts'

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
export async function renderScreenDocument(
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
export function withAuthor(outcome: Outcome, { headers, setCookies }: AuthorHeaders = NO_AUTHOR_HEADERS): Outcome {
  if (outcome.kind === 'cached') return outcome
  const { author = NO_AUTHOR_HEADERS } = outcome
  return {
    ...outcome,
    author: { headers: { ...author.headers, ...headers }, setCookies: [...setCookies, ...author.setCookies] },
  }
}
