// What a page that a rewrite leads to knows of its query: for apps of Next.js as Next.js has it (X7).

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'

/** The page after rewrites. */
interface Resolved {
  pathname: string
  search: string
  params: RouteParams
}

type Mode = Pick<Manifest, 'isNext'>

/** For the data function. `resolvedUrl` of Next.js has the query of the request, without what a rewrite adds. */
export function placeOf({ isNext }: Mode, { pathname, search, params }: Resolved, { url }: { url: string }) {
  const resolvedUrl = pathname + (isNext ? splitTarget(url).search : search)
  return { params, query: { ...parseQuery(search), ...params }, resolvedUrl }
}

/** The parameters of the page for the browser: in Next.js the router's query has what a rewrite adds. */
export function paramsShown({ isNext }: Mode, { params, search }: Resolved, { url }: { url: string }): RouteParams {
  const own = splitTarget(url).search
  if (!isNext || search === own) return params
  const shown = parseQuery(own)
  const added = Object.entries(parseQuery(search)).filter(([name]) => !Object.hasOwn(shown, name))
  return { ...Object.fromEntries(added), ...params }
}
