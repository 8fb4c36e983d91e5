// What data functions and pages know of their parameters and their query: for apps of Next.js as Next.js has it (X7).

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'

/** The page after rewrites. */
interface Resolved {
  entry: { pattern: string }
  pathname: string
  search: string
  params: RouteParams
}

type Mode = Pick<Manifest, 'isNext'>

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
  return { ...paramsOf(mode, page), query: { ...parseQuery(search), ...params }, resolvedUrl }
}

/**
 * The parameters of the page for the browser: in Next.js the router's query has the values that a rewrite adds or changes,
 * which the browser does not see in its address.
 */
export function paramsShown(
  { isNext }: Mode,
  { params, search }: Omit<Resolved, 'entry'>,
  requested: Requested,
): RouteParams {
  if (!isNext || search === requested.search) return params
  const seen = parseQuery(requested.search)
  const added = Object.entries(parseQuery(search)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(seen[name]),
  )
  return { ...Object.fromEntries(added), ...params }
}
