// Finds what responds to a request once, for every step that follows (C2): the proxy passes the page to the renderer; a
// rewrite may lead to a file, to an API handler, or from one of them to a page (X4).

import type { IncomingMessage } from 'node:http'
import { isPerRequest, type Manifest } from '@portico/shared/wire/build-output.ts'
import { localePath, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { type HasFacts, NO_FACTS } from '@portico/shared/wire/patterns/conditions.ts'
import { addedQuery, formatAddedQuery } from '@portico/shared/wire/routing/added-query.ts'
import { isPublicFile } from '@portico/shared/wire/routing/public-key.ts'
import { createTargetResolver, externalTarget, type Target } from '@portico/shared/wire/routing/resolve-page.ts'
import { isApiPath, isOwnPath } from '@portico/shared/wire/routing/urls.ts'
import { type Exchange, exchangeOf, type Found, NOTHING_FOUND, noteRule } from '../exchange/exchange.ts'
import type { ForwardedFacts } from '../headers/headers.ts'
import type { ExternalHost } from '../replicas/replicas.ts'
import { type externalRoutes, findRoute, type Route } from '../routes.ts'
import { factsOf, nameRewrites } from '../rules/rules.ts'

interface TargetFinderDeps {
  manifest: Pick<
    Manifest,
    | 'basePath'
    | 'buildId'
    | 'i18n'
    | 'semantics'
    | 'caseSensitiveRoutes'
    | 'pages'
    | 'rewrites'
    | 'apiRoutes'
    | 'publicFiles'
  >
  forwarded: (request: IncomingMessage) => ForwardedFacts
}

interface RouteResolverDeps {
  manifest: Pick<Manifest, 'basePath' | 'semantics'>
  routes: readonly Route[]
  findTarget: TargetFinder
  outside: ReturnType<typeof externalRoutes>
  /** By origin. Empty for the listener of the images service, which reads this site only. */
  externalHosts: ReadonlyMap<string, ExternalHost>
}

export type TargetFinder = ReturnType<typeof createTargetFinder>
export type RouteResolver = ReturnType<typeof createRouteResolver>

/** Finds what responds to the address of the request, or to the one to which middleware rewrites it. */
export function createTargetFinder({ manifest, forwarded }: TargetFinderDeps) {
  const resolve = createTargetResolver(manifest)
  const hasRewrites = manifest.rewrites.length > 0
  const readsFacts = manifest.rewrites.some(({ has, missing }) => has !== undefined || missing !== undefined)
  const hasOutside = manifest.rewrites.some(({ basePath }) => basePath === false)
  const names = nameRewrites(manifest.rewrites)
  const rewriteFacts = (request: IncomingMessage, exchange: Exchange, search: string): HasFacts => {
    const noteRewrite = (rule: object) => noteRule(exchange, names.get(rule)!)
    if (!readsFacts) return { ...NO_FACTS, noteRewrite }
    const facts = factsOf(request, search, forwarded)
    const noteCompared = () => {
      facts.noteCompared?.()
      exchange.rewritesCompareClient = true
    }
    return { ...facts, noteCompared, noteRewrite }
  }

  return (request: IncomingMessage): Target | undefined => {
    const exchange = exchangeOf(request)
    const { pageData, locale } = exchange
    const moved = movedInLocale(exchange, manifest)
    if (moved?.kind === 'nothing')
      return { kind: 'no-match', pathname: '', search: '', ...(locale && { locale: locale.locale }) }
    if (moved?.kind === 'external') return externalTarget(moved.origin, moved.pathname, moved.search)
    const path = moved ? moved.pathname : resolvedPathOf(exchange, manifest, hasRewrites)
    if (path === undefined && (!hasOutside || exchange.path !== undefined)) return undefined
    const { search } = moved ?? exchange
    const below = moved ? moved.pathname : pageData?.pathname
    const whole = below === undefined ? exchange.pathname : manifest.basePath + below
    const target = resolve(path, search, hasRewrites ? rewriteFacts(request, exchange, search) : NO_FACTS, whole)
    // A file or a handler outside of basePath: no rule concerns it.
    return path === undefined && target.kind !== 'external' ? undefined : target
  }
}

/**
 * Finds what responds, and notes it in the exchange with its line of the routing table and its pattern. `target`: as found
 * before.
 */
export function createRouteResolver({ manifest, routes, outside, externalHosts, findTarget }: RouteResolverDeps) {
  const find = (request: IncomingMessage, exchange: Exchange, target: Target | undefined): Found => {
    const { pageData, guarded, found } = exchange
    const { route: line } = found
    // Files under development, and page data of another build, whose routes only its renderers know.
    if (target === undefined) return { ...NOTHING_FOUND, route: line }
    if (target.kind === 'external') {
      const external = externalHosts.get(target.origin)
      // Such a rewrite closes the address of a file or a handler, too.
      if (!external)
        return { ...NOTHING_FOUND, route: findRoute(routes, '/', request), target: { ...target, kind: 'no-match' } }
      // The browser requests the address itself: the data of a page is never that of another host.
      if (pageData) return { ...NOTHING_FOUND, route: line, target }
      request.url = target.pathname + target.search
      return { ...NOTHING_FOUND, route: outside[line?.errors ?? 'document'], target, external }
    }
    const path = pageData ? pageData.pathname : exchange.path
    const isRewritten = 'pathname' in target && isOfOther(target, path ?? '', exchange)
    // SECURITY: notFound() of middleware is a decision about the address, too.
    const isUnknown = target.kind === 'no-match' && !isRewritten && !pageData && !guarded?.moved
    let route = line
    if (isRewritten && !pageData) {
      const isApi = isApiPath(target.pathname)
      // The table decides by the path to which the rewrite leads, except for what is posted to a page. SECURITY: where
      // nothing is, the line of pages responds: such a rewrite closes the address of a file or a handler, and opens no
      // address of the framework.
      route = findRoute(routes, target.kind === 'no-match' && !isApi ? '/' : target.pathname, request)
      // Files and pages are found by the target; a handler by the address that it receives. SECURITY: the page that a form
      // shows again is the one to which middleware leads.
      if (isApi || (guarded?.moved && route.by === 'actions'))
        request.url = manifest.basePath + target.pathname + target.search
    }
    const isOfPage = route?.by === 'renderer' && target.kind !== 'file' && target.kind !== 'api'
    if (!isOfPage) return { route, target, isRewritten: false, isUnknown }
    if (target.kind !== 'page') return { route, target, resolution: target, isRewritten: false, isUnknown }
    exchange.notes.pattern = target.entry.pattern
    // The other pages know their query when they are rendered.
    const knowsLess = isRewritten && manifest.semantics.addedQuery && !isPerRequest(target.entry.data)
    const added = knowsLess ? formatAddedQuery(addedQuery(target, exchange.search)) : undefined
    return { route, target, resolution: target, isRewritten, isUnknown, addedQuery: added }
  }

  return function resolveRoute(request: IncomingMessage, target = findTarget(request)): Found {
    const exchange = exchangeOf(request)
    exchange.found = find(request, exchange, target)
    return exchange.found
  }
}

/**
 * Where middleware rewrites the request to; as in Next.js in the locale of the request, where the target names none. Files
 * and handlers have no locale.
 */
function movedInLocale(exchange: Exchange, { i18n, publicFiles }: Pick<Manifest, 'i18n' | 'publicFiles'>) {
  const { locale, guarded } = exchange
  const moved = guarded?.moved
  if (moved?.kind !== 'path' || !i18n || !locale || isApiPath(moved.pathname)) return moved
  if (splitLocale(i18n, moved.pathname).hasPrefix || isPublicFile(publicFiles, moved.pathname)) return moved
  const inLocale = { ...moved, pathname: localePath(i18n, locale.locale, moved.pathname) }
  exchange.guarded = { ...guarded!, moved: inLocale }
  return inLocale
}

/** Whether the target is that of another address. The target has no prefix of a locale. */
function isOfOther(
  target: Exclude<Target, { kind: 'malformed' }>,
  path: string,
  { search, locale }: Exchange,
): boolean {
  if (target.search !== search) return true
  // Files and handlers have no locale: for a prefix the address of the target takes the place of that of the request.
  if (!locale || target.kind === 'file' || target.kind === 'api') return target.pathname !== path
  const isLocal = target.kind === 'page' || target.kind === 'no-match'
  return target.pathname !== locale.pathname || (isLocal && target.locale !== locale.locale)
}

function resolvedPathOf(
  { found: { route }, path, pageData }: Exchange,
  { buildId, semantics }: Pick<Manifest, 'buildId' | 'semantics'>,
  hasRewrites: boolean,
) {
  if (pageData) return pageData.buildId === buildId ? pageData.pathname : undefined
  if (!route || path === undefined) return undefined
  if (route.isPage && route.by === 'renderer') return path
  return hasRewrites && route.by !== 'images' && !isOwnPath(path, semantics) ? path : undefined
}
