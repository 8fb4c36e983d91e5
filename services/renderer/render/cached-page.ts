// The outcome of an entry of the page cache for one request (D2, D5), and what such a page is for a client that no entry is
// for: a form's state, a draft (X13), the shell of a page that is being rendered.

import type { CachedOutcome, CachedPage } from '../cache/cache.ts'
import { neededBy, type RenderDeps } from '../context/context.ts'
import {
  type AuthorHeaders,
  type CacheVerdict,
  NO_AUTHOR_HEADERS,
  type Outcome,
  type PageRequest,
} from '../outcome/outcome.ts'
import { draftRemovalOf } from './data-arguments.ts'
import { openStoredProps } from './deferred-props.ts'
import { renderDocumentWhole } from './document.ts'
import { shellProps } from './initial-props.ts'
import { nextDataOf, redirectOutcome } from './page-outcomes.ts'
import { type NotFound, sharedByRules, withoutReuse } from './server-page.ts'
import { renderInTime, type StaticPage, sharedRequest } from './static-page.ts'

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

/** The document of a page with a fallback whose first render runs: the browser fetches the data. */
export async function renderShell(deps: RenderDeps, page: StaticPage, request: PageRequest): Promise<Outcome> {
  const { entry, locale } = page
  const params = deps.manifest.semantics.emptyShellParams ? {} : page.params
  const place = { route: entry.pattern, params, locale, status: 200, url: request.url }
  const shell = { ...place, props: {}, isFallback: true }
  return renderDocumentWhole(deps, { ...shell, props: await shellProps(deps, shell) }, request)
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
  // formatPage wrote this JSON.
  const { props, deferred } = openStoredProps(
    JSON.parse(cached.data.toString('utf8')) as Parameters<typeof openStoredProps>[0],
  )
  const { url, inner } = request
  const posted = { route: entry.pattern, params, props, status: inner?.status ?? 200, url, formState: inner?.formState }
  return renderDocumentWhole(deps, posted, request, { kind: 'page', ...(deferred && { deferred }) })
}

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
