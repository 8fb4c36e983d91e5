// Pages that are the same for all clients: without a data function, or with getStaticProps. The page cache keeps these
// pages; an old entry is served while it is refreshed, and all requests for a cold key share one render (D2, D5).

import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { Encoding } from '@portico/shared/wire/encodings.ts'
import { fillPattern, type RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { canonicalPath } from '@portico/shared/wire/routing/urls.ts'
import { LRUCache } from 'lru-cache'
import { type CacheVerdict, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from '../render/outcome.ts'
import { logError, type RenderDeps, renderDocumentWhole, versionOfPages } from '../render/render-deps.ts'
import { renderInTime, type StaticPage } from '../render/render-entry.ts'
import { type NotFound, redirectOutcome } from '../render/server-page.ts'
import { createStaticPaths } from '../resolve/static-paths.ts'
import { type CompressedForms, createCompressedForms } from '../send/compressed-forms.ts'
import type { CachedOutcome, CachedPage, CacheEntry } from './page-cache.ts'

/** After a failed refresh the next one waits at least this long. */
const REFRESH_PAUSE_MS = 1000
/** Failed refreshes that are remembered; the pause of older ones may end sooner. */
const MAX_FAILURES = 1000
/** Warming more paths than this would keep a new replica busy for pages that no client may request. */
const MAX_WARMED = 200

export function createCachedPages(deps: RenderDeps) {
  const { cache, feed, manifest, now, countVerdict } = deps
  const { renderOnce, refreshBehind } = createSharedRenders(deps)
  const staticPaths = createStaticPaths(deps)
  const forms = createCompressedForms(cache, deps.log)

  const version = versionOfPages(deps)
  const keyOf = ({ entry, params }: StaticPage) => `${version} ${entry.pattern}${JSON.stringify(params)}`

  return {
    /** The caller renders the screen for `not-found`. Throws what the page throws when the cache has no old entry. */
    async render(page: StaticPage, request: PageRequest): Promise<Outcome | NotFound> {
      const key = keyOf(page)
      // The client that changed something sees its change, also if this replica has not read it yet (D6).
      const needed = request.inner?.generation ?? 0
      const confirmation = await feed.confirm(needed)
      const kept = confirmation === 'behind' ? undefined : cache.get(key)
      if (kept && !isStale(kept, now())) {
        const verdict = confirmation === 'confirmed' ? 'HIT' : 'STALE'
        countVerdict?.(verdict)
        return outcomeOf(deps, page, request, kept.outcome, { verdict, key, forms })
      }
      const shared = { ...request, ...sharedRequest(page, manifest) }
      if (kept) {
        countVerdict?.('STALE')
        refreshBehind(key, page, shared)
        return outcomeOf(deps, page, request, kept.outcome, { verdict: 'STALE', key, forms })
      }
      const known = await staticPaths.verdict(page, shared)
      if (known === 'not-found') return { kind: 'not-found' }
      if (known === 'fallback' && request.as === 'html' && !request.whole) {
        countVerdict?.('FALLBACK')
        refreshBehind(key, page, shared)
        // The shell: the browser fetches the data.
        const shell = { route: page.entry.pattern, params: page.params, props: {}, status: 200, url: request.url }
        return renderDocumentWhole(deps, { ...shell, isFallback: true }, request)
      }
      countVerdict?.('MISS')
      const entry = await renderOnce(key, page, shared, needed)
      return outcomeOf(deps, page, request, entry.outcome, { verdict: 'MISS', key, forms })
    },

    /** Fills the cache with every page whose paths are known; the first request renders pages that failed. */
    async warm(request: PageRequest): Promise<number> {
      let warmed = 0
      for (const entry of manifest.pages) {
        if (entry.data === 'server') continue
        for (const params of await staticPaths.known(entry, request).catch(() => [])) {
          if (warmed >= MAX_WARMED) return warmed
          const page = { entry, params }
          const shared = { ...request, ...sharedRequest(page, manifest) }
          const done = await renderOnce(keyOf(page), page, shared).catch(() => undefined)
          if (done) warmed++
        }
      }
      return warmed
    },
  }
}

/** Renders that fill the cache. */
function createSharedRenders(deps: RenderDeps) {
  const { cache, feed, now } = deps
  const running = new Map<string, Promise<CacheEntry>>()
  // SECURITY: bounded, because clients choose the paths of pages with fallbacks.
  const failedRefresh = new LRUCache<string, number>({ max: MAX_FAILURES })

  /** One render per key at a time; a request after a revalidation must not receive an earlier render. */
  const renderOnce = (key: string, page: StaticPage, request: PageRequest, needed = 0): Promise<CacheEntry> => {
    const asOf = feed.asOf()
    const generation = Math.max(needed, asOf.generation)
    const runKey = `${asOf.era} ${generation} ${asOf.unordered} ${key}`
    const known = running.get(runKey)
    if (known) return known
    const render = renderInTime(deps, page, request)
      .then((entry) => {
        cache.set(key, pathnameOf(page.entry, page.params), entry, asOf)
        return entry
      })
      .finally(() => running.delete(runKey))
    running.set(runKey, render)
    return render
  }

  const refreshBehind = (key: string, page: StaticPage, request: PageRequest) => {
    if ((failedRefresh.get(key) ?? Number.NEGATIVE_INFINITY) > now() - REFRESH_PAUSE_MS) return
    renderOnce(key, page, request).then(
      () => failedRefresh.delete(key),
      (error: unknown) => {
        failedRefresh.set(key, now())
        logError(deps, error, page.entry.pattern, request.requestId)
      },
    )
  }

  return { renderOnce, refreshBehind }
}

function isStale({ storedAt, freshForMs }: CacheEntry, now: number): boolean {
  return freshForMs !== undefined && now - storedAt > freshForMs
}

function pathnameOf(entry: PageEntry, params: RouteParams): string {
  return fillPattern(entry.pattern, params)
}

/**
 * SECURITY: a page for all clients is rendered without any data of the client whose request started the render: no
 * query, cookie or header can poison the entry, and the end of the request does not end the render.
 */
function sharedRequest({ entry, params }: StaticPage, { basePath, trailingSlash }: Manifest) {
  const pathname = pathnameOf(entry, params)
  return {
    url: addressOf(pathname, basePath, trailingSlash),
    pathname,
    search: '',
    method: 'GET',
    headers: {},
    cookies: {},
    whole: true,
    signal: new AbortController().signal,
  }
}

/** The address in the client's address bar: the browser compares the two. */
function addressOf(pathname: string, basePath: string, trailingSlash: boolean): string {
  if (pathname === '/' && basePath !== '' && !trailingSlash) return basePath
  const path = canonicalPath(pathname, trailingSlash)
  return basePath + (path.kind === 'redirect' ? path.pathname : pathname)
}

async function outcomeOf(
  deps: RenderDeps,
  page: StaticPage,
  request: PageRequest,
  outcome: CachedOutcome,
  { verdict, key, forms }: { verdict: CacheVerdict; key: string; forms: CompressedForms },
): Promise<Outcome | NotFound> {
  const route = page.entry.pattern
  if (outcome.kind === 'not-found') return outcome
  if (outcome.kind === 'redirect') return redirectOutcome(deps, route, outcome, request, NO_AUTHOR_HEADERS)
  const form = (encoding: Encoding) => forms.of(key, outcome, request.as, encoding)
  if (request.as === 'data')
    return {
      kind: 'cached',
      route,
      status: 200,
      type: 'json',
      body: outcome.data,
      etag: outcome.dataEtag,
      form,
      verdict,
    }
  if (request.inner?.formState !== undefined) return renderWithFormState(deps, page, request, outcome)
  const status = request.inner?.status ?? page.status ?? 200
  const { html: body, htmlEtag: etag, policy } = outcome
  return { kind: 'cached', route, status, type: 'html', policy, body, etag, form, verdict }
}

/**
 * A form without JavaScript was posted to a page that all clients share: only this client receives the form's state.
 */
async function renderWithFormState(
  deps: RenderDeps,
  { entry, params }: StaticPage,
  request: PageRequest,
  cached: CachedPage,
): Promise<Outcome> {
  // render-entry.ts wrote this JSON.
  const { props } = JSON.parse(cached.data.toString('utf8')) as { props: Record<string, unknown> }
  const { url, inner } = request
  const posted = { route: entry.pattern, params, props, status: inner?.status ?? 200, url, formState: inner?.formState }
  return renderDocumentWhole(deps, posted, request, 'page')
}
