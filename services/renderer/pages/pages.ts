// The pages of one state of the site: from a page request to an outcome, without HTTP. Finds the page, takes it from the page
// cache or renders it by its kind, and renders a screen where no page is; the gateway's page cache gets the same pages as
// entries. A page for all clients has one render for all requests that wait for it. Never rejects: a failure is an outcome
// with a digest (E4). One page is left to render/, what it becomes in HTTP to send/.

import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { REFUSAL_CODES, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { notFoundBody } from '@portico/shared/wire/next/next-data.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import type { DataPath } from '@portico/shared/wire/routing/urls.ts'
import { logError, neededBy, type RenderDeps, versionOfPages } from '../context/context.ts'
import { createMiddlewareRunner } from '../middleware/middleware.ts'
import { localeOf, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import {
  createDraftPages,
  entryAsLoaded,
  isForDraft,
  isForEachClient,
  type NotFound,
  notFoundScreen,
  outcomeOf,
  renderFailure,
  renderNotFoundScreen,
  renderScreen,
  renderServerPage,
  renderShell,
  type StaticPage,
  shownRoute,
} from '../render/render.ts'
import { createResolver } from '../resolve/resolve.ts'
import { createEntries, NOT_FOUND_WITHOUT_SCREEN } from './entries.ts'
import { createPageLookUp, type PageLookUp } from './look-up-page.ts'

export type { Entries } from './entries.ts'

export type PageRenderer = ReturnType<typeof createPageRenderer>

export function createPageRenderer(deps: RenderDeps) {
  const version = versionOfPages(deps)
  const resolver = createResolver(deps.manifest, version)
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
    resolve: resolver.resolve,
    render: (request: PageRequest, resolution = resolver.resolveHere(request)): Promise<Outcome> =>
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

/** Pages that are the same for all clients, as outcomes of requests: from the look-up of the page cache (D2, D5). */
function createCachedPages(deps: RenderDeps, { lookUp }: PageLookUp) {
  /** The caller renders the screen for `not-found`. Throws what the page throws when the cache has no old entry. */
  return async function render(page: StaticPage, request: PageRequest): Promise<Outcome | NotFound> {
    const { found } = await lookUp(page, {
      needed: neededBy(request),
      requestId: request.requestId,
      acceptsShell: request.as === 'html' && !request.whole,
    })
    switch (found.kind) {
      case 'entry':
        return outcomeOf(deps, page, request, found.entry.outcome, found.verdict)
      case 'not-found':
        return { kind: 'not-found' }
      case 'shell':
        return renderShell(deps, page, request)
      case 'failed':
        throw found.error
    }
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

function patternOf(resolution: Resolution): string | undefined {
  return resolution.kind === 'page' ? resolution.entry.pattern : undefined
}

function notFoundData(as: DataPath['as'], setCookies: string[], isSessionChanged = false): Outcome {
  const body = notFoundBody(as)
  const author = { headers: isSessionChanged ? { [HEADERS.session]: 'changed' } : {}, setCookies }
  return { kind: 'whole', route: '/404', status: 404, type: 'json', body, author, code: 'not-found' }
}
