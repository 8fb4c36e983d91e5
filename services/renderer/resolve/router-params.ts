// The parameters of the router of a page that is rendered for each request.

import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'

/**
 * The parameters of the route, and the values of the query that a rewrite has added or changed: the browser does not see
 * them in its address. Both are in `query` of the router.
 */
export function routerParams(page: { params: RouteParams; search: string }, requested: string): RouteParams {
  if (page.search === requested) return page.params
  const seen = parseQuery(requested)
  const added = Object.entries(parseQuery(page.search)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(seen[name]),
  )
  return { ...Object.fromEntries(added), ...page.params }
}
