// The gateway's resolution of a request, as the renderer trusts it (W9): made for this renderer's version, and for a page
// that exists.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { withoutWhole } from '@portico/shared/wire/deferred/whole.ts'
import { parsePassedRoute } from '@portico/shared/wire/routing/passed-route.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'

/** Why a passed resolution is refused. */
export type PassedRouteFault = 'malformed' | 'other-version' | 'unknown-page'

/** `pathname` and `search` are those of the request, below basePath. */
export type ReadPassedRoute = (header: string, pathname: string, search: string) => Resolution | PassedRouteFault

export function createPassedRouteReader({ pages }: Pick<Manifest, 'pages'>, version: string): ReadPassedRoute {
  const entries = new Map(pages.map((entry) => [entry.pattern, entry]))
  return (header, pathname, search) => {
    const passed = parsePassedRoute(header)
    if (!passed) return 'malformed'
    if (passed.version !== version) return 'other-version'
    if (!passed.page) return { kind: 'no-match' }
    const { pattern, params, target } = passed.page
    const entry = entries.get(pattern)
    if (!entry) return 'unknown-page'
    if (target === undefined) return { kind: 'page', entry, params, pathname, search }
    // A rewrite has passed on the query, which may contain the parameter of W12.
    const rewritten = splitTarget(target)
    return { kind: 'page', entry, params, ...rewritten, search: withoutWhole(rewritten.search) }
  }
}
