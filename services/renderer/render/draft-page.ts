// Pages with getStaticProps for clients with a cookie of draft mode (X13): the response is that of one client.

import { sharedRequest } from '../cache/look-up-page.ts'
import { outcomeOf } from '../cache/serve-cached-page.ts'
import { draftRemovalOf } from '../resolve/draft-mode.ts'
import { sharedByRules, withoutReuse } from '../resolve/reuse.ts'
import { type AuthorHeaders, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from './outcome.ts'
import { neededBy, type RenderDeps } from './render-deps.ts'
import { renderInTime, type StaticPage } from './render-entry.ts'
import type { NotFound } from './server-page.ts'

type RenderPublished = (page: StaticPage, request: PageRequest) => Promise<Outcome | NotFound>

/**
 * In draft mode getStaticProps runs for the request, for paths that getStaticPaths does not name, too. A cookie that does
 * not count gives the published page. SECURITY: neither is stored, and neither has an ETag, by which a browser could show
 * one in the place of the other.
 */
export function createDraftPages(deps: RenderDeps, renderPublished: RenderPublished) {
  const renderDraft = async (page: StaticPage, request: PageRequest): Promise<Outcome | NotFound> => {
    // Like an entry, a draft has nothing of the client but its draft mode.
    const shared = sharedRequest(deps, page, request.requestId, neededBy(request))
    const render = { ...page, reason: 'stale' } as const
    const { outcome } = await renderInTime(deps, render, { ...shared, draft: request.draft! })
    return outcomeOf(deps, page, request, outcome, 'MISS')
  }

  return async function render(page: StaticPage, request: PageRequest): Promise<Outcome | NotFound> {
    const outcome = await (request.draft?.kind === 'on' ? renderDraft : renderPublished)(page, request)
    const setCookies = draftRemovalOf(request)
    if (outcome.kind === 'not-found') return { ...outcome, setCookies }
    const sharedNames = sharedByRules(deps.manifest, request.pathname)
    const own = (author: AuthorHeaders = NO_AUTHOR_HEADERS): AuthorHeaders => ({
      headers: withoutReuse(author.headers, sharedNames),
      setCookies: [...author.setCookies, ...setCookies],
    })
    if (outcome.kind !== 'cached') return { ...outcome, author: own(outcome.author) }
    const { route, status, type, policy, body } = outcome
    return { kind: 'whole', route, status, type, policy, body, author: own() }
  }
}
