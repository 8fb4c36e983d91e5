// The files that a route's document needs immediately: its head and its Link header name the same list.

import type { RouteFiles } from '../page-data.ts'

/** Names below `{prefix}/static/`, each once. `entry` starts the browser side on every route. */
export function routePreloads(
  entry: RouteFiles,
  page: RouteFiles,
): { styles: string[]; fonts: string[]; scripts: string[] } {
  return {
    styles: [...new Set([...entry.styles, ...page.styles])],
    fonts: [...new Set([...(entry.fonts ?? []), ...(page.fonts ?? [])])],
    scripts: [...new Set([entry.module, ...entry.imports, ...page.imports, ...(page.module ? [page.module] : [])])],
  }
}
