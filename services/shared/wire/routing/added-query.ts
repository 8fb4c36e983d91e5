// The query of a page after a rewrite. Pages for one client are rendered with it. A page that is rendered once for all
// clients is not: the gateway sends what the rewrite has added with the response, and the browser adds it to its address.

import { isParams, type RouteParams } from '../route-params.ts'
import { parseQuery } from './urls.ts'

/** Proxies limit the head of a response: longer values are left out. */
const LIMIT_CHARACTERS = 2048

interface RewrittenQuery {
  search: string
  /** Names of values that are lists, also with one element: those of a catch-all of a rewrite. */
  lists?: readonly string[] | undefined
}

export function queryOf({ search, lists = [] }: RewrittenQuery): RouteParams {
  const query = parseQuery(search)
  for (const name of lists) if (query[name] !== undefined) query[name] = [query[name]].flat()
  return query
}

/** The values that a rewrite has added to the query of a request, or changed. */
export function addedQuery(rewritten: RewrittenQuery, requested: string): RouteParams {
  const seen = parseQuery(requested)
  const added = Object.entries(queryOf(rewritten)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(seen[name]),
  )
  return Object.fromEntries(added)
}

/**
 * The values as text of a header, without quotes and line ends. Undefined where there is none, and for a text that is too
 * long.
 */
export function formatAddedQuery(added: RouteParams): string | undefined {
  if (Object.keys(added).length === 0) return undefined
  const text = encodeURIComponent(JSON.stringify(added))
  return text.length > LIMIT_CHARACTERS ? undefined : text
}

/** A text that something between gateway and browser has changed has no values. */
export function parseAddedQuery(text: string): RouteParams {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(text))
    return isParams(value) ? value : {}
  } catch {
    return {}
  }
}
