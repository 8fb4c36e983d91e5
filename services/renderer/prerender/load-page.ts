// Takes pages that the build has rendered into the page cache (X9). A document with other public values than those of
// this process is rendered again from its data; the data function does not run.

import { createSharedRuns } from '@portico/shared/kit/cache/shared-runs.ts'
import type { CacheEntry } from '../cache/page-cache.ts'
import type { PageRequest } from '../render/outcome.ts'
import { keyOf, markOf } from '../render/page-identity.ts'
import { logError, type RenderDeps } from '../render/render-deps.ts'
import { renderStored, type StaticPage } from '../render/render-entry.ts'

/** `key` is that of the page cache. */
type LoadPage = (key: string, page: StaticPage, request: PageRequest) => Promise<CacheEntry | undefined>

/** The result is undefined where the page has to be rendered. Never rejects. */
export function createPageLoader(deps: RenderDeps): LoadPage {
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
