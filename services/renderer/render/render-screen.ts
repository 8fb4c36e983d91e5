// The document of a screen: with initial props it is made for the client whose request failed (X11).

import type { InitialPage } from '@portico/shared/wire/bundles.ts'
import { callDataFunction } from '../resolve/data-functions.ts'
import { createPageRequest } from '../resolve/page-request.ts'
import { createPageResponse } from '../resolve/page-response.ts'
import { withoutReuse } from '../resolve/reuse.ts'
import { loadInitialProps } from './initial-props.ts'
import { type AuthorHeaders, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from './outcome.ts'
import { redirectOutcome } from './redirect-outcome.ts'
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

/** Whether a screen, which the app folder may lack, has initial props. */
export async function isInitialScreen({ bundle: { initialProps } }: RenderDeps, route: string): Promise<boolean> {
  return initialProps !== undefined && (await initialProps.has(route))
}

/** `error`: what the page has thrown. */
export async function renderScreenDocument(
  deps: RenderDeps,
  screen: Hydrated,
  request: PageRequest,
  { error }: Pick<InitialPage, 'error'> = {},
): Promise<Outcome> {
  const { route } = screen
  if (!(await isInitialScreen(deps, route))) return renderDocumentWhole(deps, screen, request)
  const work = workOf(request.signal)
  const context = contextOf(deps, { ...request, signal: work.signal }, 'page', route)
  const res = createPageResponse()
  res.statusCode = screen.status
  // SECURITY: no cache may keep what was made for one client.
  const author = (): AuthorHeaders => ({ headers: withoutReuse(res.headers, []), setCookies: context.setCookies })
  return deps.bundle.runWithContext(context, async () => {
    const entry = entryOf(deps.manifest, route) ?? { pattern: route, file: '', data: 'initial', files: NO_FILES }
    const client = { req: createPageRequest(entry, request, context.cookies), res }
    const hydration = { ...screen, isReady: true }
    const onError = createErrorLog(deps, route, request.requestId)
    const result = await callDataFunction({
      route,
      name: 'getInitialProps',
      run: async () => ({
        props: await loadInitialProps(deps, { hydration: hydrationOf(deps, hydration), client, error }),
      }),
      work,
      timeoutMs: deps.dataTimeoutMs,
      context: {},
      isPlainJson: true,
      failureOf: (failure) => ({ digest: onError(failure) }),
    })
    if (result.kind === 'redirect') return redirectOutcome(deps, route, result, request, author())
    if (result.kind !== 'props') throw new Error(`getInitialProps of ${route} must return props or redirect`)
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
