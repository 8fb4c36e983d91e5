// What data functions and pages know of their parameters and their query: by Portico's rules or those of the manifest's `semantics` (X7).

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { localeNames, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { addedQuery, queryOf } from '@portico/shared/wire/routing/added-query.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { nextDataUrl, type Representation, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'

/** The page after rewrites. */
interface Resolved {
  entry: { pattern: string }
  pathname: string
  search: string
  lists?: readonly string[]
  params: RouteParams
  locale?: string
}

type Rules = Pick<Manifest, 'semantics' | 'i18n'>

/** What the client requested. */
interface Requested {
  search: string
}

/** The parameters in the context of a data function. */
export function paramsOf({ semantics }: Rules, { entry, params }: Pick<Resolved, 'entry' | 'params'>) {
  return semantics.noEmptyParams && !entry.pattern.includes('[') ? {} : { params }
}

/** For getServerSideProps. */
export function placeOf(rules: Rules, page: Resolved, requested: Requested) {
  const { pathname, search, params } = page
  const resolvedUrl = pathname + (rules.semantics.resolvedUrlQuery ? requested.search : search)
  const names = localeNames(rules.i18n, page.locale)
  return { ...paramsOf(rules, page), query: { ...queryOf(page), ...params }, resolvedUrl, ...names }
}

/** The parameters of the page for the browser, with `addedQuery` also the values that a rewrite adds or changes. */
export function paramsShown(
  { semantics }: Rules,
  { params, ...rewritten }: Omit<Resolved, 'entry'>,
  requested: Requested,
): RouteParams {
  if (!semantics.addedQuery || rewritten.search === requested.search) return params
  return { ...addedQuery(rewritten, requested.search), ...params }
}

/**
 * The request as data functions see it: with `requestUrl` its URL has neither basePath nor locale, and is the address of the
 * data for page data of a site without locales.
 */
export function requestSeen<R extends { url: string; as: Representation }>(
  { semantics, i18n, basePath, buildId }: Pick<Manifest, 'semantics' | 'i18n' | 'basePath' | 'buildId'>,
  request: R,
): R {
  if (!semantics.requestUrl) return request
  const { pathname, search } = splitTarget(request.url)
  const below = stripBasePath(pathname, basePath)
  if (below === undefined) return request
  if (i18n) return { ...request, url: splitLocale(i18n, below).pathname + search }
  return { ...request, url: request.as === 'html' ? below + search : nextDataUrl(buildId, below, search) }
}
