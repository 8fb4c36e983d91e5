// Which files a route's document needs at once: said in its head and in its Link header, so that both name the same.

import type { RouteFiles } from './page-data.ts'

/** Names below `{prefix}/static/`, each once. `entry` starts the browser side and is common to all routes. */
export function routePreloads(entry: RouteFiles, page: RouteFiles): { styles: string[]; scripts: string[] } {
  return {
    styles: [...new Set([...entry.styles, ...page.styles])],
    scripts: [...new Set([entry.module, ...entry.imports, ...page.imports, ...(page.module ? [page.module] : [])])],
  }
}
