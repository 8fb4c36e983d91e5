// Redirects: non-canonical paths (R6) and the redirects of portico.config.ts (R7). For the address of a page's data the
// redirect is page data (W2).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import { canonicalPath } from '@portico/shared/wire/routing/urls.ts'
import type { NextFunction } from 'express'
import { exchangeOf } from '../request/exchange.ts'
import type { ErrorSender } from '../send/error.ts'
import type { MadeResponses } from '../send/made.ts'
import { createLocaleRedirect } from './locale-redirect.ts'
import { createRedirectRules, type RedirectRulesDeps } from './redirect-rules.ts'

interface RedirectorDeps extends RedirectRulesDeps {
  made: MadeResponses
  errors: ErrorSender
}

/** Creates the middleware. */
export function createRedirector({ manifest, isPublicFile, forwarded, made, errors }: RedirectorDeps) {
  const { isNext, trailingSlash } = manifest
  const rules = createRedirectRules({ manifest, isPublicFile, forwarded })
  const localeRedirect = createLocaleRedirect(manifest)

  return function redirectElsewhere(request: IncomingMessage, response: ServerResponse, next: NextFunction) {
    const exchange = exchangeOf(request)
    const { pathname, search } = exchange
    const { isPage = false, isData = false } = exchange.route ?? { isPage: true }
    // With `trailingSlash` an address under /api is accepted with or without a slash: programs post to one fixed path.
    const canonical = canonicalPath(
      !isPage && !isData && trailingSlash && pathname.length > 1 && pathname.endsWith('/')
        ? pathname.slice(0, -1)
        : pathname,
      isPage && trailingSlash,
    )
    if (canonical.kind === 'redirect') {
      // In compatibility mode as in Next.js: the client sends method and body of other requests again.
      if (!isNext && request.method !== 'GET' && request.method !== 'HEAD')
        return errors.send(request, response, 'non-canonical-path')
      return made.redirect(request, response, 308, `${canonical.pathname}${search}`)
    }
    const preferred = localeRedirect?.(request, exchange)
    if (preferred !== undefined) return made.redirect(request, response, 307, preferred, true)
    const found = rules.isEmpty ? undefined : rules.find(request, exchange)
    if (!found) return next()
    const { location, status } = found
    // SECURITY: a rule that guards a page guards its data, which the same browser could request.
    const { pageData } = exchange
    if (pageData) made.redirectData(request, response, redirectBody(pageData.as, found))
    else made.redirect(request, response, status, location)
  }
}
