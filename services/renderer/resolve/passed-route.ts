// The gateway's resolution of a request, as the renderer trusts it (W9): made for this renderer's version, and for a page
// that exists.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { withoutWhole } from '@portico/shared/wire/deferred/whole.ts'
import { splitLocale } from '@portico/shared/wire/locales/locales.ts'
import type { PassedRoute } from '@portico/shared/wire/passed-route.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'

/** Why a passed resolution is refused. */
export type PassedRouteFault = 'malformed' | 'other-version' | 'unknown-page'

/** `pathname` and `search` are those of the request, below basePath. */
type ReadPassedRoute = (passed: PassedRoute, pathname: string, search: string) => Resolution | PassedRouteFault

export function createPassedRouteReader(
  { pages, i18n }: Pick<Manifest, 'pages' | 'i18n'>,
  version: string,
): ReadPassedRoute {
  const entries = new Map(pages.map((entry) => [entry.pattern, entry]))
  return (passed, pathname, search) => {
    if (passed.version !== version) return 'other-version'
    const { locale } = passed
    if (i18n ? !i18n.locales.includes(locale ?? '') : locale !== undefined) return 'malformed'
    const own = locale === undefined ? {} : { locale }
    if (!passed.page) return { kind: 'no-match', ...own }
    const { pattern, params, target, lists } = passed.page
    const entry = entries.get(pattern)
    if (!entry) return 'unknown-page'
    if (target === undefined) {
      const path = i18n ? splitLocale(i18n, pathname).pathname : pathname
      return { kind: 'page', entry, params, pathname: path, search, ...own }
    }
    // A rewrite has passed on the query, which may contain the parameter of W12.
    const rewritten = splitTarget(target)
    const found = { ...rewritten, search: withoutWhole(rewritten.search), ...(lists && { lists }) }
    return { kind: 'page', entry, params, ...found, ...own }
  }
}
