// From the path of a request to what responds (C2): rewrites of portico.config.ts, public files, API handlers and the
// prepared route tree, in the order of Next.js (R2, R7, X4). The gateway and the renderer run this one function, so that
// both find the same page.

import type { Manifest, PageEntry, RewriteRule } from '../build-output.ts'
import { PREFIX_SEGMENT } from '../constants.ts'
import { findLocale, type LocalePath, type Locales, prefixed, splitLocale } from '../locales/locales.ts'
import { type HasFacts, withSearch } from '../patterns/conditions.ts'
import {
  compileDestination,
  fillDestination,
  joinSearch,
  paramsSearch,
  splitFixedOrigin,
} from '../patterns/destination.ts'
import { createRuleIndex, namesOf, type RuleMatch } from '../patterns/rule-index.ts'
import type { RouteParams } from '../route-params.ts'
import type { Semantics } from '../semantics.ts'
import { createPageMatcher } from './match-page.ts'
import { isPublicFile } from './public-key.ts'
import { decodeSegments, matchRoute, prepareRoutes } from './routes.ts'
import { isApiPath, isOwnPath } from './urls.ts'

export type Resolution =
  /**
   * `pathname` and `search` are those after rewriting; params are percent-decoded once. In a site with locales `pathname` has
   * no prefix, and `locale` is that of the page (X14). `lists`: names in the query whose values are lists.
   */
  | {
      kind: 'page'
      entry: PageEntry
      params: RouteParams
      pathname: string
      search: string
      lists?: readonly string[]
      locale?: string
    }
  /** `isFailure`: the screen of status 500 may have a path of its own. */
  | { kind: 'no-match'; locale?: string; isFailure?: true }
  /** A malformed percent sequence or %00; or `isTraversal`, which no other host receives: respond 400 (R3). */
  | { kind: 'malformed'; isTraversal?: true }

/** A page, or another part of the site to which a rewrite may lead; for `no-match` the place at which nothing is. */
export type Target =
  | Exclude<Resolution, { kind: 'no-match' }>
  | { kind: 'file'; pathname: string; search: string }
  | { kind: 'api'; pathname: string; search: string }
  /** Another host: `origin` is one of the build, `pathname` is that host's. */
  | { kind: 'external'; origin: string; pathname: string; search: string }
  | { kind: 'no-match'; pathname: string; search: string; locale?: string; isFailure?: true }

/** `pathname` is raw and below basePath; `search` is empty or begins with `?`. */
export type ResolvePage = (pathname: string, search: string, facts: HasFacts) => Resolution
/**
 * `pathname` is undefined outside of basePath; `whole` is the path with basePath, for rules with `basePath: false`, which
 * lead to other hosts only.
 */
type ResolveTarget = (
  pathname: string | undefined,
  search: string,
  facts: HasFacts,
  whole?: string | undefined,
) => Target

type ResolverTables = Pick<Manifest, 'pages' | 'rewrites'> &
  Partial<Pick<Manifest, 'apiRoutes' | 'publicFiles' | 'semantics' | 'i18n' | 'caseSensitiveRoutes'>>

/** Prepares all routes and rules once. The result depends on nothing but the arguments. */
export function createPageResolver(tables: ResolverTables): ResolvePage {
  const resolve = createTargetResolver(tables)
  return (pathname, search, facts) => {
    const target = resolve(pathname, search, facts)
    if (target.kind === 'page' || target.kind === 'malformed') return target
    if (target.kind !== 'no-match') return { kind: 'no-match' }
    return { kind: 'no-match', ...localeOf(target), ...(target.isFailure && { isFailure: true }) }
  }
}

/** As createPageResolver, with the files and API handlers of the site. */
export function createTargetResolver(tables: ResolverTables): ResolveTarget {
  const lookUp = createLookUp(tables)
  if (tables.rewrites.length === 0) return (pathname, search) => lookUp({ pathname, search }).target
  const rewritesOf = (phase: RewriteRule['phase']) =>
    createRewrites(
      tables.rewrites.filter((rule) => rule.phase === phase),
      tables,
    )
  const [before, after, fallback] = [rewritesOf('beforeFiles'), rewritesOf(undefined), rewritesOf('fallback')]
  return (pathname, search, facts, whole = pathname) => {
    const request = { search, whole, facts }
    let at: Place = { pathname, search }
    // These rules are applied one after the other, before any of them is looked up.
    for (const place of before(at, request)) {
      at = place
      if (at.origin !== undefined) return lookUp(at).target
    }
    const start = at
    const direct = lookUp(at)
    // Only a draft is shown there: the page responds where nothing else does.
    const last = direct.isUnlisted ? direct.target : undefined
    if (direct.isFixed || direct.target.kind === 'malformed') return direct.target
    for (const rewrites of [after, fallback]) {
      for (const place of rewrites(at, request)) {
        at = place
        const { target, isUnlisted } = lookUp(at)
        if (target.kind !== 'no-match' && !isUnlisted) return target
      }
      // Dynamic routes of a path that no rule has changed come before the fallback.
      if (rewrites === after && at === start && direct.target.kind !== 'no-match' && !last) return direct.target
    }
    const { target } = lookUp(at)
    return target.kind === 'no-match' ? (last ?? target) : target
  }
}

interface Place {
  /** Undefined outside of basePath. */
  pathname: string | undefined
  search: string
  /** The origin of another host. */
  origin?: string | undefined
  /** A rule led here. */
  isRewritten?: true
  /** Names in the query that have the segments of a catch-all. */
  lists?: readonly string[]
  /** That of the request, where a rule with `locale: false` led to a path without a prefix. */
  locale?: string
}

/** The place by locale. */
function splitPlace(i18n: Locales, { pathname = '/', locale }: Pick<Place, 'pathname' | 'locale'>): LocalePath {
  const at = splitLocale(i18n, pathname)
  return at.hasPrefix || locale === undefined ? at : { ...at, locale }
}

/** What rules are compared with besides the place. */
interface Compared {
  search: string
  whole: string | undefined
  facts: HasFacts
}

/**
 * `isFixed`: a file, or a route without parameters, which come before rewrites. `isUnlisted`: every page that fits lists its
 * paths, and not this one.
 */
type LookUp = (place: Place) => { target: Target; isFixed: boolean; isUnlisted?: boolean }

function createLookUp({ pages, apiRoutes = [], publicFiles = {}, semantics = {}, i18n }: ResolverTables): LookUp {
  const matchPage = createPageMatcher(pages)
  const entries = new Map(pages.map((entry) => [entry.pattern, entry]))
  const apiTree = prepareRoutes(apiRoutes)
  const hasFile = (path: string) => isPublicFile(publicFiles, path)
  return (place) => {
    const { pathname: given, search, origin, isRewritten } = place
    if (given === undefined) return { target: { kind: 'no-match', pathname: '', search }, isFixed: false }
    if (origin !== undefined) return { target: externalTarget(origin, given, search), isFixed: true }
    if (hasFile(given)) return { target: { kind: 'file', pathname: given, search }, isFixed: true }
    const at = i18n && splitPlace(i18n, place)
    const pathname = at?.pathname ?? given
    // As in Next.js: files are also below the prefix of the default locale, and below no other one.
    if (at?.hasPrefix && at.locale === i18n?.defaultLocale && hasFile(pathname))
      return { target: { kind: 'file', pathname, search }, isFixed: true }
    // A rewrite leads to a path of the site only: the routing table would choose a service by the target.
    const isFailure = semantics.failurePath && pathname === '/500'
    const nothing: Target = { kind: 'no-match', pathname, search, ...localeOf(at), ...(isFailure && { isFailure }) }
    if (isOwnPath(pathname, semantics) || isClosed(pathname, semantics, at?.hasPrefix ? undefined : i18n))
      return { target: nothing, isFixed: false }
    const isApi = isApiPath(pathname)
    // Handlers have no locale.
    if (isApi && at?.hasPrefix && !isRewritten) return { target: nothing, isFixed: false }
    const found = isApi ? matchRoute(apiTree, pathname) : matchPage(pathname, at?.locale)
    if (found.kind !== 'match') return { target: found.kind === 'malformed' ? found : nothing, isFixed: false }
    const isFixed = !found.pattern.includes('[')
    if (isApi) return { target: { kind: 'api', pathname, search }, isFixed }
    const entry = entries.get(found.pattern)!
    const lists = place.lists && { lists: place.lists }
    const target: Target = { kind: 'page', entry, params: found.params, pathname, search, ...lists, ...localeOf(at) }
    return { target, isFixed, isUnlisted: 'isUnlisted' in found }
  }
}

/**
 * Whether no page has the path, although a page with a parameter would fit. SECURITY: matchers of middleware compare decoded
 * text, and most of them exclude `/api` and `/_next`; author code takes the first segment for a locale. `/%61pi/x` is no
 * address of a handler, `/_next/x` none of a page in Next.js, and `/%66r/x` none of a locale.
 */
function isClosed(pathname: string, { dataUrls = false }: Semantics, i18n: Locales | undefined): boolean {
  const end = pathname.indexOf('/', 1)
  const raw = pathname.slice(1, end < 0 ? undefined : end)
  if (!raw.includes('%')) return dataUrls && raw === '_next'
  const name = decodeSegments(raw)?.[0]
  if (name === undefined) return false
  if (name === 'api' || name === PREFIX_SEGMENT || (dataUrls && name === '_next')) return true
  return i18n !== undefined && findLocale(i18n.locales, name) !== undefined
}

function localeOf(at: { locale?: string } | undefined): { locale?: string } {
  return at?.locale === undefined ? {} : { locale: at.locale }
}

/**
 * The target at another host. SECURITY: a parameter is text of the client. Dot segments, also encoded, would lead another
 * host out of the path that the author wrote, where that host decodes before it resolves them; `..;` is one for servers of
 * Java.
 */
export function externalTarget(origin: string, path: string, search: string): Target {
  // These come from a condition's value: a path of the client contains none of them.
  const pathname = path.replace(/[?#\\]/g, encodeURIComponent)
  try {
    const decoded = decodeURIComponent(pathname)
    if (/(?:^|[/\\])\.{1,2}(?:;[^/\\]*)?(?:[/\\]|$)/.test(decoded)) return { kind: 'malformed', isTraversal: true }
    if (decoded.includes('\0')) return { kind: 'malformed' }
  } catch {
    return { kind: 'malformed' }
  }
  return { kind: 'external', origin, pathname, search }
}

/** The places to which rules lead, each rule from where the one before it led. */
function createRewrites(rules: readonly RewriteRule[], { i18n, caseSensitiveRoutes }: ResolverTables) {
  const index = createRuleIndex(
    rules.map((rule) => {
      const { origin, rest = rule.destination } = splitFixedOrigin(rule.destination) ?? {}
      return { ...rule, rule, origin, compiled: compileDestination(rest, namesOf(rule)) }
    }),
    i18n,
    caseSensitiveRoutes,
  )
  return function* rewrites(from: Place, { search, whole, facts }: Compared): Generator<Place> {
    let at = from
    let next = 0
    while (!index.isEmpty) {
      const current = at.search === search ? facts : withSearch(facts, at.search)
      const [match] = index.matches(at.pathname, whole ?? '', current, next)
      if (!match) return
      next = match.order + 1
      const place = rewritten(match, at, i18n)
      if (!place) continue
      facts.noteRewrite?.(match.rule.rule)
      at = place
      yield at
    }
  }
}

type CompiledRewrite = RewriteRule &
  Pick<Place, 'origin'> & {
    /** The rule of the manifest. */
    rule: RewriteRule
    compiled: ReturnType<typeof compileDestination>
  }

/** Undefined where a parameter fits no host. Parameters that the destination does not use are added to the query. */
function rewritten(
  { rule, params, named, locale }: RuleMatch<CompiledRewrite>,
  from: Place,
  i18n: Manifest['i18n'],
): Place | undefined {
  const target = fillDestination(rule.compiled, params)
  if (!target) return undefined
  const added = rule.compiled.usesParams ? {} : named
  const names = Object.keys(added).filter((name) => Array.isArray(added[name]))
  const lists = [...(from.lists ?? []), ...names]
  const place = {
    search: joinSearch(joinSearch(target.search, paramsSearch(added)), from.search),
    origin: rule.origin,
    isRewritten: true,
    ...(lists.length > 0 && { lists }),
  } as const
  if (!i18n || rule.origin !== undefined) return { ...place, pathname: target.base }
  if (locale !== undefined) return { ...place, pathname: prefixed(locale, target.base) }
  // A rule with `locale: false` names the locale of its destination, or keeps that of the request.
  return { ...place, pathname: target.base, locale: splitPlace(i18n, from).locale }
}
