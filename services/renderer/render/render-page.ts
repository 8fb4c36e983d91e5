// From a page request to an outcome, without HTTP: finds the page, renders by kind, renders screens where no page is.

import { isPerRequest, type Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { REFUSAL_CODES, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { notFoundBody } from '@portico/shared/wire/next/next-data.ts'
import { clientFacts } from '@portico/shared/wire/patterns/conditions.ts'
import type { PassedRoute } from '@portico/shared/wire/routing/passed-route.ts'
import { createPageResolver, type Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import { type DataPath, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { createPageLookUp } from '../cache/look-up-page.ts'
import { createCachedPages } from '../cache/serve-cached-page.ts'
import { createEntries, NOT_FOUND_WITHOUT_SCREEN, notFoundScreen } from '../entry/entries.ts'
import { createMiddlewareRunner } from '../middleware/run-middleware.ts'
import { isForDraft } from '../resolve/draft-mode.ts'
import { createPassedRouteReader, type PassedRouteFault } from '../resolve/passed-route.ts'
import { createDraftPages } from './draft-page.ts'
import { entryAsLoaded } from './initial-props.ts'
import { type AuthorHeaders, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from './outcome.ts'
import { localeOf } from './page-identity.ts'
import { entryOf, logError, type RenderDeps, versionOfPages } from './render-deps.ts'
import { shownRoute } from './render-entry.ts'
import { failureCode, isForEachClient, renderScreenDocument, withAuthor } from './render-screen.ts'
import { type NotFound, renderServerPage } from './server-page.ts'

export type PageRenderer = ReturnType<typeof createPageRenderer>

export interface ResolvedPage {
  resolution: Resolution
  by: 'gateway' | 'renderer'
  /** Why the gateway's resolution was refused. */
  fault?: PassedRouteFault
}

export function createPageRenderer(deps: RenderDeps) {
  const version = versionOfPages(deps)
  const resolveHere = createOwnResolver(deps.manifest)
  const trustedRoute = createPassedRouteReader(deps.manifest, version)
  const pageLookUp = createPageLookUp(deps)
  const renderCached = createCachedPages(deps, pageLookUp)
  const renderForDraft = createDraftPages(deps, renderCached)

  const renderPage = async (request: PageRequest, resolved: Resolution): Promise<Outcome> => {
    if (resolved.kind === 'malformed') return renderScreen(deps, request, 'malformed-path')
    if (resolved.kind === 'no-match' && resolved.isFailure && request.as === 'html')
      return renderScreen(deps, request, 'internal')
    if (resolved.kind === 'no-match') return renderNotFound(request, resolved.locale)
    // As Next.js: without a data function there is no data.
    const page = { ...resolved, entry: await entryAsLoaded(deps, resolved.entry) }
    const { data } = page.entry
    if (request.as === 'next-data' && (data === 'none' || data === 'initial'))
      return renderNotFound(request, resolved.locale)
    const outcome = isPerRequest(data)
      ? await renderServerPage(deps, page, request)
      : data === 'static' && isForDraft(request)
        ? await renderForDraft(page, request)
        : await renderCached(page, request)
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
    const screen = notFoundScreen(deps, locale)
    const route = shownRoute(deps, screen.entry)
    if (await isForEachClient(deps, route)) return renderNotFoundScreen(deps, request, { route, locale, setCookies })
    const outcome = await renderCached(screen, { ...request, inner: {} })
    if (outcome.kind === 'not-found') throw new Error(NOT_FOUND_WITHOUT_SCREEN)
    return outcome.kind === 'cached' ? { ...outcome, setCookies } : outcome
  }

  const renderRefusal = (request: PageRequest, status: RefusalStatus, author = NO_AUTHOR_HEADERS) =>
    renderScreen(deps, request, REFUSAL_CODES[status], { author })

  const refuse = (request: PageRequest, status: RefusalStatus): Promise<Outcome> =>
    withFailure(deps, request, () => renderRefusal(request, status))

  return {
    version,
    after: deps.after,
    /**
     * The page of a request: as the gateway found it, if it found it for this version, else as this renderer does (W9).
     */
    resolve(request: PageRequest, passed: PassedRoute | 'malformed'): ResolvedPage {
      if (passed === 'malformed') return { resolution: resolveHere(request), by: 'renderer', fault: passed }
      if (passed.version === undefined) return { resolution: resolveHere(request, passed.moved), by: 'renderer' }
      const read = trustedRoute(passed, request.pathname, request.search)
      if (typeof read !== 'string') return { resolution: read, by: 'gateway' }
      return { resolution: resolveHere(request, passed.moved), by: 'renderer', fault: read }
    },
    render: (request: PageRequest, resolution = resolveHere(request)): Promise<Outcome> =>
      withFailure(deps, request, () => renderPage(request, resolution), patternOf(resolution)),
    /** The screen for the client of an action, or of middleware, that called unauthorized() or forbidden(). */
    refuse,
    /** What the site's middleware decides about a request (X15). */
    guard: createMiddlewareRunner({ ...deps, refuse }),
    /** For the gateway's page cache. */
    entries: createEntries(deps, pageLookUp, (request, digest, error) => renderFailure(deps, request, digest, error)),
    /** Fills the page cache; returns the number of pages. */
    warm: pageLookUp.warm,
  }
}

/** Finds the page as the gateway does. */
function createOwnResolver(manifest: Manifest) {
  const resolvePath = createPageResolver(manifest)
  return (request: PageRequest, target?: string): Resolution => {
    if (target === NO_TARGET) return { kind: 'no-match' }
    const { pathname, search } = target === undefined ? request : splitTarget(target)
    return resolvePath(pathname, search, clientFacts({ ...request, search }))
  }
}

/** Never rejects: a failure is an outcome with a digest (E4). */
async function withFailure(
  deps: RenderDeps,
  request: PageRequest,
  run: () => Promise<Outcome>,
  pattern?: string,
): Promise<Outcome> {
  try {
    return await run()
  } catch (error) {
    if (request.signal.aborted) return { kind: 'error', route: 'aborted', code: 'internal' }
    const digest = logError(deps, error, request.pathname, request, pattern)
    return renderFailure(deps, request, digest, error)
  }
}

/** The screen of a path without a page, for one client. */
async function renderNotFoundScreen(
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
async function renderFailure(
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

async function renderScreen(
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

function patternOf(resolution: Resolution): string | undefined {
  return resolution.kind === 'page' ? resolution.entry.pattern : undefined
}

function notFoundData(as: DataPath['as'], setCookies: string[], isSessionChanged = false): Outcome {
  const body = notFoundBody(as)
  const author = { headers: isSessionChanged ? { [HEADERS.session]: 'changed' } : {}, setCookies }
  return { kind: 'whole', route: '/404', status: 404, type: 'json', body, author, code: 'not-found' }
}
