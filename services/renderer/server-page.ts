// A page with getServerSideProps: rendered for each request, kept by nobody (D2).

import type { PageEntry } from '../shared/wire/build-output.ts'
import type { RequestContext } from '../shared/wire/bundles.ts'
import { controlFlowOf } from '../shared/wire/control-flow.ts'
import type { RouteParams } from '../shared/wire/routes.ts'
import { callDataFunction, type DataResult } from './data-functions.ts'
import { withBasePathOf } from './locations.ts'
import type { AuthorHeaders, Outcome, PageRequest } from './outcome.ts'
import { contextOf, hydrationOf, type RenderDeps, renderThroughBundle } from './render-deps.ts'

/** Larger page data is a mistake of the page: nobody waits for it in a browser. */
export const PAGE_DATA_LIMIT_BYTES = 8 * 1024 * 1024

export interface ServerPage {
  entry: PageEntry
  params: RouteParams
  pathname: string
  search: string
}

/** `not-found` is left to the caller, who has the screen. Throws what the page throws. */
export async function renderServerPage(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
): Promise<Outcome | { kind: 'not-found' }> {
  const context = contextOf(deps, request, 'page', page.entry.pattern)
  const response = createResponse()
  const author = (): AuthorHeaders => ({ headers: response.headers, setCookies: context.setCookies })
  return deps.bundle.runWithContext(context, async () => {
    const result = await runDataFunction(deps, page, request, context, response)
    if (result.kind === 'not-found') return result
    const route = page.entry.pattern
    if (result.kind === 'redirect') return redirectOutcome(deps, route, result, request, author())
    const status = request.inner?.status ?? response.statusCode
    if (request.as === 'data') {
      const body = JSON.stringify({ kind: 'page', route, params: page.params, props: result.props })
      refuseHuge(body, route)
      return { kind: 'whole', route, status: 200, type: 'json', body, author: author() }
    }
    return renderDocument(deps, page, request, { props: result.props, status, author })
  })
}

async function runDataFunction(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
  context: RequestContext,
  res: unknown,
): Promise<DataResult> {
  const { entry, params } = page
  const module = await deps.bundle.pages[entry.pattern]!()
  if (!module.getServerSideProps) throw new Error(`${entry.pattern}: the bundle has no getServerSideProps`)
  return callDataFunction({
    route: entry.pattern,
    name: 'getServerSideProps',
    run: module.getServerSideProps,
    signal: request.signal,
    context: {
      params,
      query: { ...queryOf(page.search), ...params },
      resolvedUrl: page.pathname + page.search,
      req: { method: request.method, url: request.url, headers: request.headers, cookies: context.cookies },
      res,
    },
  })
}

interface Rendered {
  props: Record<string, unknown>
  status: number
  author: () => AuthorHeaders
}

async function renderDocument(
  deps: RenderDeps,
  page: ServerPage,
  request: PageRequest,
  rendered: Rendered,
): Promise<Outcome | { kind: 'not-found' }> {
  const route = page.entry.pattern
  const { props, status, author } = rendered
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
    const result = await renderThroughBundle(deps, hydration, { whole, signal, requestId })
    if (result.kind === 'stream')
      return { kind: 'stream', route, status, nonce: result.nonce, pipe: result.pipe, author: author() }
    refuseHuge(result.html, route)
    return { kind: 'whole', route, status, type: 'html', body: result.html, author: author() }
  } catch (thrown) {
    const flow = controlFlowOf(thrown)
    if (flow?.kind === 'not-found') return flow
    if (flow?.kind === 'redirect') return redirectOutcome(deps, route, flow, request, author())
    throw thrown
  }
}

export function redirectOutcome(
  deps: RenderDeps,
  route: string,
  { location, status }: { location: string; status: 301 | 302 | 303 | 307 | 308 },
  request: PageRequest,
  author: AuthorHeaders,
): Outcome {
  if (request.as === 'html')
    return { kind: 'redirect', route, location: withBasePathOf(deps.manifest.basePath, location), status, author }
  return {
    kind: 'whole',
    route,
    status: 200,
    type: 'json',
    body: JSON.stringify({ kind: 'redirect', location, status }),
    author,
  }
}

function refuseHuge(body: string, route: string): void {
  if (body.length > PAGE_DATA_LIMIT_BYTES)
    throw new Error(`${route}: the answer has ${body.length} characters; the limit is ${PAGE_DATA_LIMIT_BYTES}`)
}

export function queryOf(search: string): RouteParams {
  const query: RouteParams = Object.create(null) as RouteParams
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name]
    query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return query
}

/** The part of a response that a data function may touch. */
function createResponse() {
  const headers: Record<string, string | string[]> = {}
  return {
    statusCode: 200,
    headers,
    setHeader(name: string, value: string | number | readonly string[]) {
      headers[name.toLowerCase()] =
        typeof value === 'number' ? String(value) : typeof value === 'string' ? value : [...value]
      return this
    },
    getHeader: (name: string) => headers[name.toLowerCase()],
    removeHeader(name: string) {
      delete headers[name.toLowerCase()]
    },
  }
}
