// Pages that are the same for all clients, as outcomes of requests: from the look-up of the page cache (D2, D5).

import { shellProps } from '../render/initial-props.ts'
import { type CacheVerdict, NO_AUTHOR_HEADERS, type Outcome, type PageRequest } from '../render/outcome.ts'
import { nextDataOf } from '../render/page-data-outcome.ts'
import { neededBy, type RenderDeps, renderDocumentWhole } from '../render/render-deps.ts'
import type { StaticPage } from '../render/render-entry.ts'
import type { NotFound } from '../render/server-page.ts'
import { openStoredProps } from '../resolve/deferred-props.ts'
import { redirectOutcome } from '../send/redirect-outcome.ts'
import type { PageLookUp } from './look-up-page.ts'
import type { CachedOutcome, CachedPage } from './page-cache.ts'

export function createCachedPages(deps: RenderDeps, { lookUp }: PageLookUp) {
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
      case 'shell': {
        // The browser fetches the data.
        const { entry, locale } = page
        const params = deps.manifest.semantics.emptyShellParams ? {} : page.params
        const place = { route: entry.pattern, params, locale, status: 200, url: request.url }
        const shell = { ...place, props: {}, isFallback: true }
        return renderDocumentWhole(deps, { ...shell, props: await shellProps(deps, shell) }, request)
      }
      case 'failed':
        throw found.error
    }
  }
}

/** What an entry is for one request. */
export async function outcomeOf(
  deps: RenderDeps,
  page: StaticPage,
  request: PageRequest,
  outcome: CachedOutcome,
  verdict: CacheVerdict,
): Promise<Outcome | NotFound> {
  const route = page.entry.pattern
  if (outcome.kind === 'not-found') return outcome
  if (outcome.kind === 'redirect') return redirectOutcome(deps, route, outcome, request, NO_AUTHOR_HEADERS)
  if (request.as === 'next-data') {
    const own = nextDataOf(outcome, page.entry)
    return { kind: 'cached', route, status: 200, type: 'json', ...own, verdict }
  }
  if (request.as === 'data')
    return {
      kind: 'cached',
      route,
      status: 200,
      type: 'json',
      body: outcome.data,
      etag: outcome.dataEtag,
      verdict,
    }
  if (request.inner?.formState !== undefined) return renderWithFormState(deps, page, request, outcome)
  const status = request.inner?.status ?? page.status ?? 200
  const { html: body, htmlEtag: etag, policy } = outcome
  return { kind: 'cached', route, status, type: 'html', policy, body, etag, verdict }
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
  const { props, deferred } = openStoredProps(
    JSON.parse(cached.data.toString('utf8')) as Parameters<typeof openStoredProps>[0],
  )
  const { url, inner } = request
  const posted = { route: entry.pattern, params, props, status: inner?.status ?? 200, url, formState: inner?.formState }
  return renderDocumentWhole(deps, posted, request, { kind: 'page', ...(deferred && { deferred }) })
}
