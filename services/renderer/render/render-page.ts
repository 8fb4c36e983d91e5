// From a page request to an outcome, without HTTP: finds the page, renders by kind, renders screens where no page is.

import { HEADERS } from '@portico/shared/wire/constants.ts'
import { REFUSAL_CODES, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { notFoundBody } from '@portico/shared/wire/next/next-data.ts'
import { createFacts, type HasFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { createPageResolver, type Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import type { DataPath } from '@portico/shared/wire/routing/urls.ts'
import { createPageLookUp } from '../cache/look-up-page.ts'
import { createCachedPages } from '../cache/serve-cached-page.ts'
import { createEntries, NOT_FOUND_WITHOUT_SCREEN, notFoundScreen } from '../entry/entries.ts'
import { createMiddlewareRunner } from '../middleware/run-middleware.ts'
import { isForDraft } from '../resolve/draft-mode.ts'
import { createPassedRouteReader, type PassedRouteFault } from '../resolve/passed-route.ts'
import { createDraftPages } from './draft-page.ts'
import { type AuthorHeaders, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from './outcome.ts'
import { localeOf } from './page-identity.ts'
import { entryOf, logError, type RenderDeps, renderDocumentWhole, versionOfPages } from './render-deps.ts'
import { type NotFound, renderServerPage } from './server-page.ts'

export type PageRenderer = ReturnType<typeof createPageRenderer>

export interface ResolvedPage {
  resolution: Resolution
  by: 'gateway' | 'renderer'
  /** Why the gateway's resolution was refused. */
  fault?: PassedRouteFault
}

/** Raw, below basePath. */
type Place = Pick<PageRequest, 'pathname' | 'search'>

export function createPageRenderer(deps: RenderDeps) {
  const version = versionOfPages(deps)
  const resolvePath = createPageResolver(deps.manifest)
  const readPassedRoute = createPassedRouteReader(deps.manifest, version)
  const pageLookUp = createPageLookUp(deps)
  const renderCached = createCachedPages(deps, pageLookUp)
  const renderForDraft = createDraftPages(deps, renderCached)

  const resolveHere = (request: PageRequest, { pathname, search }: Place = request) =>
    resolvePath(pathname, search, factsOf({ ...request, search }))

  const renderPage = async (request: PageRequest, resolved: Resolution): Promise<Outcome> => {
    if (resolved.kind === 'malformed') return renderScreen(deps, request, 'malformed-path')
    if (resolved.kind === 'no-match') return renderNotFound(request, resolved.locale)
    // As Next.js: without a data function there is no data.
    if (request.as === 'next-data' && resolved.entry.data === 'none') return renderNotFound(request, resolved.locale)
    const outcome =
      resolved.entry.data === 'server'
        ? await renderServerPage(deps, resolved, request)
        : resolved.entry.data === 'static' && isForDraft(request)
          ? await renderForDraft(resolved, request)
          : await renderCached(resolved, request)
    if (outcome.kind === 'refused') return renderRefusal(request, outcome.status, outcome.author)
    return outcome.kind === 'not-found' ? renderNotFound(request, resolved.locale, outcome) : outcome
  }

  const renderNotFound = async (
    request: PageRequest,
    locale = localeOf(deps.manifest, request.pathname),
    page: Partial<NotFound> = {},
  ): Promise<Outcome> => {
    const { setCookies = [] } = page
    if (request.as !== 'html') return notFoundData(request.as, setCookies, page.isSessionChanged)
    const outcome = await renderCached(notFoundScreen(deps, locale), { ...request, inner: {} })
    if (outcome.kind === 'not-found') throw new Error(NOT_FOUND_WITHOUT_SCREEN)
    return outcome.kind === 'cached' ? { ...outcome, setCookies } : outcome
  }

  const renderRefusal = (request: PageRequest, status: RefusalStatus, author = NO_AUTHOR_HEADERS) =>
    renderScreen(deps, request, REFUSAL_CODES[status], { author })

  /** Never rejects: a failure is an outcome with a digest (E4). */
  const withFailure = async (request: PageRequest, run: () => Promise<Outcome>): Promise<Outcome> => {
    try {
      return await run()
    } catch (error) {
      if (request.signal.aborted) return { kind: 'error', route: 'aborted', code: 'internal' }
      const digest = logError(deps, error, request.pathname, request.requestId)
      return renderFailure(deps, request, digest)
    }
  }

  const refuse = (request: PageRequest, status: RefusalStatus): Promise<Outcome> =>
    withFailure(request, () => renderRefusal(request, status))

  return {
    version,
    after: deps.after,
    /**
     * The page of a request: as the gateway found it, if it found it for this version, else as this renderer does (W9).
     * `moved`: where middleware rewrites the request to.
     */
    resolve(request: PageRequest, passed: string | undefined, moved?: Place): ResolvedPage {
      if (passed === undefined) return { resolution: resolveHere(request, moved), by: 'renderer' }
      const read = readPassedRoute(passed, request.pathname, request.search)
      if (typeof read !== 'string') return { resolution: read, by: 'gateway' }
      return { resolution: resolveHere(request, moved), by: 'renderer', fault: read }
    },
    render: (request: PageRequest, resolution = resolveHere(request)): Promise<Outcome> =>
      withFailure(request, () => renderPage(request, resolution)),
    /** The screen for the client of an action, or of middleware, that called unauthorized() or forbidden(). */
    refuse,
    /** What the site's middleware decides about a request (X15). */
    guard: createMiddlewareRunner({ ...deps, refuse }),
    /** For the gateway's page cache. */
    entries: createEntries(deps, pageLookUp, (request, digest) => renderFailure(deps, request, digest)),
    /** Fills the page cache; returns the number of pages. */
    warm: pageLookUp.warm,
  }
}

/** The 500 screen; the default screen if the app folder's own fails too. */
async function renderFailure(deps: RenderDeps, request: PageRequest, digest: string): Promise<Outcome> {
  try {
    return await renderScreen(deps, request, 'internal', { digest })
  } catch (error) {
    logError(deps, error, '/500', request.requestId)
    return { kind: 'error', route: '/500', code: 'internal', digest }
  }
}

async function renderScreen(
  deps: RenderDeps,
  request: PageRequest,
  code: ErrorCode,
  more: { digest?: string; author?: AuthorHeaders } = {},
): Promise<Outcome> {
  const { status } = ERROR_CATALOGUE[code]
  if (request.as !== 'html') return { kind: 'error', route: '/_error', code, ...more }
  const digest = more.digest === undefined ? {} : { digest: more.digest }
  const props = { statusCode: status, ...digest }
  const route = status === 500 && entryOf(deps.manifest, '/500') ? '/500' : '/_error'
  const screen = { route, params: {}, props, status, url: request.url, ...digest }
  return { ...(await renderDocumentWhole(deps, screen, request)), code, ...more }
}

function notFoundData(as: DataPath['as'], setCookies: string[], isSessionChanged = false): Outcome {
  const body = notFoundBody(as)
  const author = { headers: isSessionChanged ? { [HEADERS.session]: 'changed' } : {}, setCookies }
  return { kind: 'whole', route: '/404', status: 404, type: 'json', body, author, code: 'not-found' }
}

function factsOf({ headers, cookies, search, origin }: PageRequest): HasFacts {
  return createFacts({
    search,
    header: (name) => headers[name],
    cookie: (name) => cookies[name],
    host: () => new URL(origin).host,
  })
}
