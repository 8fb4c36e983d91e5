// Redirects: non-canonical paths (R6) and the redirects of portico.config.ts (R7). For the address of a page's data the
// redirect is page data (W2).

import type { IncomingMessage } from 'node:http'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import { canonicalPath } from '@portico/shared/wire/routing/urls.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { Reply } from '../send/reply.ts'
import { createLocaleRedirect } from './locale-redirect.ts'
import { createRedirectRules, type RedirectRulesDeps } from './redirect-rules.ts'

/** Creates the step. */
export function createRedirector({ manifest, isPublicFile, forwarded }: RedirectRulesDeps) {
  const { semantics, trailingSlash } = manifest
  const rules = createRedirectRules({ manifest, isPublicFile, forwarded })
  const localeRedirect = createLocaleRedirect(manifest)

  return function redirectElsewhere(request: IncomingMessage): Reply | undefined {
    const exchange = exchangeOf(request)
    const { pathname, search } = exchange
    const { isPage = false, isData = false } = exchange.found.route ?? { isPage: true }
    // With `trailingSlash` an address under /api is accepted with or without a slash: programs post to one fixed path.
    const canonical = canonicalPath(
      !isPage && !isData && trailingSlash && pathname.length > 1 && pathname.endsWith('/')
        ? pathname.slice(0, -1)
        : pathname,
      isPage && trailingSlash,
    )
    if (canonical.kind === 'redirect') {
      // A client sends method and body again, to an address that its author should have written.
      if (!semantics.nonCanonicalPosts && request.method !== 'GET' && request.method !== 'HEAD')
        return { kind: 'error', code: 'non-canonical-path' }
      return { kind: 'redirect', status: 308, location: `${canonical.pathname}${search}` }
    }
    const preferred = localeRedirect?.(request, exchange)
    if (preferred !== undefined) return { kind: 'redirect', status: 307, location: preferred, isForThisClient: true }
    const found = rules.isEmpty ? undefined : rules.find(request, exchange)
    if (!found) return undefined
    const { location, status } = found
    // SECURITY: a rule that guards a page guards its data, which the same browser could request.
    const { pageData } = exchange
    return pageData
      ? { kind: 'redirect-data', body: redirectBody(pageData.as, found) }
      : { kind: 'redirect', status, location }
  }
}
