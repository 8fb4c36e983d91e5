// Runs the data function of a page that is rendered for a request: getServerSideProps, or getInitialProps (X11).

import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { DataFunctionContext, RequestContext } from '@portico/shared/wire/bundles.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import type { DocumentClient } from '@portico/shared/wire/next/initial-props.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { callDataFunction, type DataResult } from '../resolve/data-functions.ts'
import { draftMembers, markOf } from '../resolve/draft-mode.ts'
import { bodyOf } from '../resolve/page-request.ts'
import { placeOf } from '../resolve/rewritten-page.ts'
import { locationInBrowser } from '../send/redirect-outcome.ts'
import { loadInitialProps, withAppProps } from './initial-props.ts'
import type { PageRequest } from './outcome.ts'
import { hydrationOf, type RenderDeps } from './render-deps.ts'

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

export async function runDataFunction(
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
  const mark = markOf(deps.manifest.semantics, draft)
  return { name: 'getServerSideProps', run: withAppProps(deps, initial, getServerSideProps), mark }
}

/** Aborts when the client disconnects, or earlier. */
export function workOf(signal: AbortSignal): AbortController {
  const work = new AbortController()
  if (signal.aborted) work.abort(signal.reason)
  else signal.addEventListener('abort', () => work.abort(signal.reason), { once: true })
  return work
}
