// Pages that are the same for all clients, as entries for the gateway's page cache (W8): the look-up of public requests,
// without a client.

import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import {
  type EntryFacts,
  type EntryRequest,
  formatEntry,
  type KnownPaths,
  PATHS_LIMIT,
} from '@portico/shared/wire/page-entry.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { fillPattern, matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import type { CachedOutcome, CacheEntry } from '../cache/cache.ts'
import { logError, type RenderDeps, versionOfPages } from '../context/context.ts'
import { encodeLocation, type Outcome, type PageRequest } from '../outcome/outcome.ts'
import {
  failureCode,
  isForEachClient,
  locationOf,
  nextDataOf,
  notFoundScreen,
  redirectData,
  type StaticPage,
  sharedRequest,
  shownRoute,
} from '../render/render.ts'
import { createRouteLinks } from '../send/send.ts'
import type { PageLookUp } from './look-up-page.ts'

export type Entries = ReturnType<typeof createEntries>

/** How a gateway names a page. */
type PageName = Pick<EntryRequest, 'pattern' | 'params' | 'locale'>

/** Renders the screen of a failure; never rejects. */
type RenderFailure = (request: PageRequest, digest: string, error: unknown) => Promise<Outcome>

const NO_FACTS = { verdict: 'MISS', ageMs: 0, freshMs: null, tags: [] } satisfies Partial<EntryFacts>

export const NOT_FOUND_WITHOUT_SCREEN = '/404: the page must not return notFound'

export function createEntries(deps: RenderDeps, { lookUp, known }: PageLookUp, renderFailure: RenderFailure) {
  const linksOf = createRouteLinks(deps.manifest)
  const bytesOf = createFormatter(deps, linksOf)
  const version = versionOfPages(deps)
  const pages = deps.manifest.pages.filter(({ data }) => !isPerRequest(data))
  const kept = new Map(pages.map((entry) => [entry.pattern, { entry, routes: prepareRoutes([entry]) }]))

  const failureOf = async (facts: EntryFacts, page: StaticPage, error: unknown, request: PageRequest) => {
    const digest = logError(deps, error, page.entry.pattern, request)
    const screen = await renderFailure(request, digest, error)
    const failure = { kind: 'error', code: failureCode(error), digest } as const
    // Without a screen of the app folder the gateway sends the default screen.
    if (screen.kind !== 'whole') return formatEntry(facts, failure)
    const document = { policy: screen.policy, link: linksOf(screen.route) }
    return formatEntry(facts, { ...failure, ...document }, { html: Buffer.from(screen.body) })
  }

  return {
    /** The page of a pattern and params; a text names why there is none. */
    pageOf({ pattern, params, locale }: PageName): StaticPage | 'unknown-page' | 'wrong-params' {
      const { i18n } = deps.manifest
      if (i18n ? !i18n.locales.includes(locale ?? '') : locale !== undefined) return 'unknown-page'
      if (pattern === '/404') return notFoundScreen(deps, locale)
      const page = kept.get(pattern)
      if (!page) return 'unknown-page'
      const own = ownParams(page.routes, pattern, params)
      return own ? { entry: page.entry, params: own, locale } : 'wrong-params'
    },

    /** The bytes of an entry. Never rejects: a failure is an entry too. */
    async entryOf(page: StaticPage, request: Omit<EntryRequest, keyof PageName>, requestId: string): Promise<Buffer> {
      const { as, position } = request
      if (page.entry.pattern === '/404' && (await isForEachClient(deps, shownRoute(deps, page.entry))))
        // The renderer makes the screen for the client.
        return formatEntry({ ...NO_FACTS, version, confirmation: 'confirmed' }, { kind: 'shell' })
      // A shell is a document: page data that passed to other replicas would be rendered there once more.
      const acceptsShell = as === 'entry'
      const { confirmation, found } = await lookUp(page, { needed: position, requestId, acceptsShell })
      const facts = { ...NO_FACTS, version, confirmation }
      const fail = (error: unknown) => failureOf(facts, page, error, sharedRequest(deps, page, requestId, position))
      switch (found.kind) {
        case 'not-found':
        case 'shell':
          return formatEntry(facts, { kind: found.kind })
        case 'failed':
          return fail(found.error)
        case 'entry': {
          const { entry, verdict } = found
          if (entry.outcome.kind === 'not-found' && page.status === 404)
            return fail(new Error(NOT_FOUND_WITHOUT_SCREEN))
          try {
            return bytesOf({ ...facts, verdict, ...timesOf(entry, deps.now()) }, page, entry.outcome, request)
          } catch (error) {
            // A location that no header may have.
            return fail(error)
          }
        }
      }
    },

    async knownPaths(): Promise<KnownPaths> {
      const pages = await known(PATHS_LIMIT)
      return { version, paths: pages.map(nameOf) }
    },
  }
}

/** The bytes of what the look-up found in the cache or rendered. */
function createFormatter(deps: RenderDeps, linksOf: ReturnType<typeof createRouteLinks>) {
  return (
    facts: EntryFacts,
    { entry, status = 200 }: StaticPage,
    outcome: CachedOutcome,
    { as, have }: Pick<EntryRequest, 'as' | 'have'>,
  ): Buffer => {
    // The page data of Next.js exists for pages with a data function.
    const isMissing = as === 'next-data' && entry.data === 'none'
    if (outcome.kind === 'not-found' || isMissing) return formatEntry(facts, { kind: 'not-found' })
    if (outcome.kind === 'redirect') {
      const data = Buffer.from(redirectData(deps, entry.pattern, outcome, as === 'entry' ? 'data' : as))
      const location = encodeLocation(locationOf(deps, outcome))
      return formatEntry(facts, { kind: 'redirect', status: outcome.status, location }, { data })
    }
    if (as === 'next-data') {
      const { body, etag } = nextDataOf(outcome, entry)
      return formatEntry(facts, { kind: 'next-data', dataEtag: etag, of: outcome.dataEtag }, { data: body })
    }
    const { html, htmlEtag, data, dataEtag, policy } = outcome
    if (have?.htmlEtag === htmlEtag && have.dataEtag === dataEtag) return formatEntry(facts, { kind: 'unchanged' })
    const document = { policy, link: linksOf(entry.pattern) }
    return formatEntry(
      facts,
      { kind: 'page', status: status === 404 ? 404 : 200, htmlEtag, dataEtag, ...document },
      { html, data },
    )
  }
}

function nameOf({ entry: { pattern }, params, locale }: StaticPage): KnownPaths['paths'][number] {
  return { pattern, params, ...(locale !== undefined && { locale }) }
}

/** Clocks of processes differ: an age, never a time. */
function timesOf({ storedAt, freshForMs, tags }: CacheEntry, now: number) {
  return { ageMs: Math.max(0, now - storedAt), freshMs: freshForMs ?? null, tags }
}

/** The params as a request for their path has them; undefined where they do not fit the pattern. */
function ownParams(
  routes: ReturnType<typeof prepareRoutes>,
  pattern: string,
  params: RouteParams,
): RouteParams | undefined {
  try {
    const match = matchRoute(routes, fillPattern(pattern, params))
    return match.kind === 'match' ? match.params : undefined
  } catch {
    // The caller refuses the request.
    return undefined
  }
}
