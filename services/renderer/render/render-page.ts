// From a page request to an outcome, without HTTP: resolves the path, renders by kind, renders screens where no page
// is.

import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import { createCachedPages } from '../cache/serve-cached-page.ts'
import { createPageResolver } from '../resolve/resolve-page.ts'
import type { Outcome, PageRequest } from './outcome.ts'
import { entryOf, logError, NO_FILES, type RenderDeps, renderDocumentWhole } from './render-deps.ts'
import { renderServerPage } from './server-page.ts'

export type PageRenderer = ReturnType<typeof createPageRenderer>

export function createPageRenderer(deps: RenderDeps) {
  const resolve = createPageResolver(deps.manifest)
  const cached = createCachedPages(deps)

  const renderPage = async (request: PageRequest): Promise<Outcome> => {
    const resolved = resolve(request.pathname, request.search, factsOf(request))
    if (resolved.kind === 'malformed') return renderScreen(deps, request, 'malformed-path')
    if (resolved.kind === 'no-match') return renderNotFound(request)
    const outcome =
      resolved.entry.data === 'server'
        ? await renderServerPage(deps, resolved, request)
        : await cached.render(resolved, request)
    return outcome.kind === 'not-found' ? renderNotFound(request, outcome.setCookies) : outcome
  }

  const renderNotFound = async (request: PageRequest, setCookies: string[] = []): Promise<Outcome> => {
    if (request.as === 'data') return notFoundData(setCookies)
    const outcome = await cached.render(
      { entry: screenEntry(deps, '/404'), params: {}, status: 404 },
      { ...request, inner: {} },
    )
    if (outcome.kind === 'not-found') throw new Error('/404: the page must not return notFound')
    return outcome.kind === 'cached' ? { ...outcome, setCookies } : outcome
  }

  return {
    /** Never rejects: a failure is an outcome with a digest (E4). */
    async render(request: PageRequest): Promise<Outcome> {
      try {
        return await renderPage(request)
      } catch (error) {
        if (request.signal.aborted) return { kind: 'error', route: 'aborted', code: 'internal' }
        const digest = logError(deps, error, request.pathname, request.requestId)
        return renderFailure(deps, request, digest)
      }
    },
    /** Fills the page cache; returns the number of pages. */
    warm: cached.warm,
  }
}

/** The 500 screen; the default screen if the app folder's own fails too. */
async function renderFailure(deps: RenderDeps, request: PageRequest, digest: string): Promise<Outcome> {
  try {
    return await renderScreen(deps, request, 'internal', digest)
  } catch (error) {
    logError(deps, error, '/500', request.requestId)
    return { kind: 'error', route: '/500', code: 'internal', digest }
  }
}

async function renderScreen(
  deps: RenderDeps,
  request: PageRequest,
  code: ErrorCode,
  errorDigest?: string,
): Promise<Outcome> {
  const { status } = ERROR_CATALOGUE[code]
  const digest = errorDigest === undefined ? {} : { digest: errorDigest }
  if (request.as === 'data') return { kind: 'error', route: '/_error', code, ...digest }
  const props = { statusCode: status, ...digest }
  const route = status === 500 && entryOf(deps.manifest, '/500') ? '/500' : '/_error'
  const screen = { route, params: {}, props, status, url: request.url, ...digest }
  return { ...(await renderDocumentWhole(deps, screen, request)), code, ...digest }
}

function notFoundData(setCookies: string[]): Outcome {
  const body = JSON.stringify({ kind: 'not-found' } satisfies PageData)
  const author = { headers: {}, setCookies }
  return { kind: 'whole', route: '/404', status: 404, type: 'json', body, author, code: 'not-found' }
}

function screenEntry(deps: RenderDeps, pattern: string): PageEntry {
  return entryOf(deps.manifest, pattern) ?? { pattern, file: '', data: 'none', files: NO_FILES }
}

function factsOf({ headers, cookies, search, origin }: PageRequest) {
  return {
    get host() {
      return new URL(origin).hostname
    },
    header: (name: string) => headers[name.toLowerCase()],
    cookie: (name: string) => cookies[name],
    query: (name: string) => new URLSearchParams(search).get(name) ?? undefined,
  }
}
