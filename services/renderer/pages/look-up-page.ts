// The look-up of a page that is the same for all clients: a page without a data function, or with getStaticProps. A page that the
// build has rendered is taken into the page cache (X9), a stale entry is used while it is refreshed, and all requests for a
// cold key share one render (D2, D5).

import { createSharedRuns } from '@portico/shared/kit/cache/shared-runs.ts'
import type { AsOf, Confirmation } from '@portico/shared/kit/feed/feed.ts'
import { createRequestId } from '@portico/shared/kit/http/request-id.ts'
import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import type { FeedPosition } from '@portico/shared/wire/invalidation.ts'
import { LRUCache } from 'lru-cache'
import type { CacheEntry, PageCache } from '../cache/cache.ts'
import { logError, type RenderDeps, versionOfPages } from '../context/context.ts'
import { type CacheVerdict, keyOf, markOf, type PageRequest, warmRequest } from '../outcome/outcome.ts'
import {
  createStaticPaths,
  renderInTime,
  renderStored,
  type StaticPage,
  type StaticRender,
  sharedRequest,
} from '../render/render.ts'

/** After a failed refresh the next one waits at least this long. */
const REFRESH_PAUSE_MS = 1000
/** Failed refreshes that are remembered; the pause of older ones may end sooner. */
const MAX_FAILURES = 1000
/** Warming more paths than this would keep a new replica busy for pages that no client may request. */
const MAX_WARMED = 200

type Found =
  | { kind: 'entry'; entry: CacheEntry; verdict: CacheVerdict }
  /** getStaticPaths does not name the path. */
  | { kind: 'not-found' }
  /** `fallback: true` and not rendered yet; the render runs. */
  | { kind: 'shell' }
  /** What the page has thrown, with no old entry in the cache. */
  | { kind: 'failed'; error: unknown }

interface LookUpOptions {
  /** The entry contains every change up to this position: a client that changed something sees its change (D6). */
  needed: FeedPosition
  requestId: string
  /** Whether the caller can use `shell`; otherwise the look-up waits for the render. */
  acceptsShell: boolean
}

export type PageLookUp = ReturnType<typeof createPageLookUp>

export function createPageLookUp(deps: RenderDeps) {
  const { cache, feed, manifest, now, countVerdict } = deps
  const { renderOnce, refreshBehind } = createSharedRenders(deps)
  const staticPaths = createStaticPaths(deps)
  const loadPage = createPageLoader(deps)
  const version = versionOfPages(deps)
  const cacheKeyOf = (page: StaticPage) => `${version} ${keyOf(page)}`

  const find = async (page: StaticPage, options: LookUpOptions, confirmation: Confirmation): Promise<Found> => {
    const { needed, requestId, acceptsShell } = options
    const key = cacheKeyOf(page)
    const found = (entry: CacheEntry, verdict: CacheVerdict): Found => ({ kind: 'entry', entry, verdict })
    const after = confirmation === 'behind' ? needed : undefined
    const shared = () => sharedRequest(deps, page, requestId, needed)
    const current = cache.get(key) ?? (deps.prerendered && (await loadPage(key, page, shared())))
    const kept = current && (!after || contains(current, after)) ? current : undefined
    if (kept && !isStale(kept, now())) {
      const verdict = confirmation === 'confirmed' ? 'HIT' : 'STALE'
      countVerdict?.(verdict)
      return found(kept, verdict)
    }
    const request = shared()
    if (kept) {
      countVerdict?.('STALE')
      refreshBehind(key, page, request, after)
      return found(kept, 'STALE')
    }
    const known = await staticPaths.verdict(page, request)
    if (known === 'not-found') return { kind: 'not-found' }
    if (known === 'fallback' && acceptsShell) {
      countVerdict?.('FALLBACK')
      refreshBehind(key, page, request, after)
      return { kind: 'shell' }
    }
    countVerdict?.('MISS')
    return found(await renderOnce(key, page, request, after), 'MISS')
  }

  /** Pages whose paths are known, `most` at most. A page whose getStaticPaths fails is left out. */
  const known = async (most: number): Promise<StaticPage[]> => {
    const pages: StaticPage[] = []
    for (const entry of manifest.pages) {
      if (isPerRequest(entry.data)) continue
      if (pages.length >= most) break
      const paths = await staticPaths.known(entry, warmRequest()).catch(() => [])
      for (const path of paths.slice(0, most - pages.length)) pages.push({ entry, ...path })
    }
    return pages
  }

  return {
    known,

    /** Never rejects. */
    async lookUp(page: StaticPage, options: LookUpOptions): Promise<{ confirmation: Confirmation; found: Found }> {
      const confirmation = await feed.confirm(options.needed)
      const found = await find(page, options, confirmation).catch(
        (error: unknown): Found => ({ kind: 'failed', error }),
      )
      return { confirmation, found }
    },

    /** Fills the cache; the first request renders a page that failed. Returns the number of pages in the cache. */
    async warm(): Promise<number> {
      let warmed = 0
      for (const page of await known(MAX_WARMED)) {
        const request = sharedRequest(deps, page, createRequestId(), { generation: 0 })
        const key = cacheKeyOf(page)
        const entry =
          (await loadPage(key, page, request)) ?? (await renderOnce(key, page, request).catch(() => undefined))
        if (entry) warmed++
      }
      return warmed
    },
  }
}

/** Renders that fill the cache. */
function createSharedRenders(deps: RenderDeps) {
  const { cache, feed, now } = deps
  const runOnce = createSharedRuns<CacheEntry>(feed)
  // SECURITY: bounded, because clients choose the paths of pages with fallbacks.
  const failedRefresh = new LRUCache<string, number>({ max: MAX_FAILURES })

  const renderOnce = (
    key: string,
    page: StaticPage,
    request: PageRequest,
    after?: FeedPosition,
  ): Promise<CacheEntry> => {
    const render = async (asOf: AsOf) => {
      const entry = { ...(await renderInTime(deps, { ...page, reason: reasonOf(cache, key, after) }, request)), after }
      cache.set(key, markOf(page), entry, asOf)
      return entry
    }
    return runOnce(key, render, after)
  }

  const refreshBehind = (key: string, page: StaticPage, request: PageRequest, after?: FeedPosition) => {
    if ((failedRefresh.get(key) ?? Number.NEGATIVE_INFINITY) > now() - REFRESH_PAUSE_MS) return
    renderOnce(key, page, request, after).then(
      () => {
        failedRefresh.delete(key)
        deps.prerendered?.refreshed(keyOf(page))
      },
      (error: unknown) => {
        failedRefresh.set(key, now())
        logError(deps, error, page.entry.pattern, request)
      },
    )
  }

  return { renderOnce, refreshBehind }
}

function reasonOf(cache: PageCache, key: string, after: FeedPosition | undefined): StaticRender['reason'] {
  const old = cache.get(key)
  const isOutOfDate = cache.wasRevalidated(key) || (old && after && !contains(old, after))
  return isOutOfDate ? 'on-demand' : 'stale'
}

function isStale({ storedAt, freshForMs }: CacheEntry, now: number): boolean {
  return freshForMs !== undefined && now - storedAt > freshForMs
}

/** Whether an entry was rendered for the position, so that an outage of the state store is not a render per request. */
function contains({ after }: CacheEntry, { epoch, generation }: FeedPosition): boolean {
  return after !== undefined && after.epoch === epoch && after.generation >= generation
}

/** `key` is that of the page cache. */
type LoadPage = (key: string, page: StaticPage, request: PageRequest) => Promise<CacheEntry | undefined>

/** The result is undefined where the page has to be rendered. Never rejects. */
function createPageLoader(deps: RenderDeps): LoadPage {
  const { prerendered, cache, feed, now } = deps
  const runOnce = createSharedRuns<CacheEntry | undefined>(feed)

  const load: LoadPage = async (key, page, request) => {
    const read = await prerendered?.read(keyOf(page))
    if (!read) return undefined
    const { entry, ageMs, asOf, hasOtherValues } = read
    const storedAt = now() - ageMs
    const { outcome } = entry
    const shown =
      outcome.kind === 'page' && hasOtherValues ? await renderStored(deps, page, request, outcome.data) : outcome
    // A render of this process is newer.
    const rendered = cache.get(key)
    if (rendered) return rendered
    const loaded: CacheEntry = { ...entry, outcome: shown, storedAt }
    return cache.set(key, markOf(page), loaded, asOf) ? loaded : undefined
  }

  return async (key, page, request) => {
    if (!prerendered) return undefined
    return runOnce(key, () => load(key, page, request)).catch((error: unknown) => {
      logError(deps, error, page.entry.pattern, request)
      return undefined
    })
  }
}
