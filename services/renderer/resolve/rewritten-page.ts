// What data functions and pages know of their parameters and their query: for apps of Next.js as Next.js has it (X7).

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

type Mode = Pick<Manifest, 'isNext' | 'i18n'>

/** What the client requested. */
interface Requested {
  search: string
}

/** The parameters in the context of a data function. Next.js has none for a page whose path has none. */
export function paramsOf({ isNext }: Mode, { entry, params }: Pick<Resolved, 'entry' | 'params'>) {
  return isNext && !entry.pattern.includes('[') ? {} : { params }
}

/** For getServerSideProps. `resolvedUrl` of Next.js has the query of the request, without what a rewrite adds. */
export function placeOf(mode: Mode, page: Resolved, requested: Requested) {
  const { pathname, search, params } = page
  const resolvedUrl = pathname + (mode.isNext ? requested.search : search)
  const names = localeNames(mode.i18n, page.locale)
  return { ...paramsOf(mode, page), query: { ...queryOf(page), ...params }, resolvedUrl, ...names }
}

/**
 * The parameters of the page for the browser: in Next.js the router's query has the values that a rewrite adds or changes,
 * which the browser does not see in its address.
 */
export function paramsShown(
  { isNext }: Mode,
  { params, ...rewritten }: Omit<Resolved, 'entry'>,
  requested: Requested,
): RouteParams {
  if (!isNext || rewritten.search === requested.search) return params
  return { ...addedQuery(rewritten, requested.search), ...params }
}

/**
 * As in Next.js, where `req.url` of data functions has neither basePath nor locale, and is the address of the data for page
 * data of a site without locales.
 */
export function requestSeen<R extends { url: string; as: Representation }>(
  { isNext, i18n, basePath, buildId }: Pick<Manifest, 'isNext' | 'i18n' | 'basePath' | 'buildId'>,
  request: R,
): R {
  if (!isNext) return request
  const { pathname, search } = splitTarget(request.url)
  const below = stripBasePath(pathname, basePath)
  if (below === undefined) return request
  if (i18n) return { ...request, url: splitLocale(i18n, below).pathname + search }
  return { ...request, url: request.as === 'html' ? below + search : nextDataUrl(buildId, below, search) }
}
