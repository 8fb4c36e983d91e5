// Redirects: non-canonical paths (R6) and the redirects of portico.config.ts (R7). For the address of a page's data the
// redirect is page data (W2).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { CACHE_NONE, HEADERS } from '@portico/shared/wire/constants.ts'
import { redirectBody } from '@portico/shared/wire/next/next-data.ts'
import { canonicalPath } from '@portico/shared/wire/routing/urls.ts'
import type { NextFunction } from 'express'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { ErrorSender } from '../request/send-error.ts'
import type { GatewayHeaders } from './gateway-headers.ts'
import { createLocaleRedirect } from './locale-redirect.ts'
import { createRedirectRules } from './redirect-rules.ts'

export interface RedirectorDeps {
  manifest: Pick<Manifest, 'basePath' | 'buildId' | 'i18n' | 'isNext' | 'trailingSlash' | 'redirects'>
  isPublicFile: (path: string) => boolean
  forwarded: (request: IncomingMessage) => ForwardedFacts
  gatewayHeaders: GatewayHeaders
  errors: ErrorSender
}

/** Creates the middleware. */
export function createRedirector({ manifest, isPublicFile, forwarded, gatewayHeaders, errors }: RedirectorDeps) {
  const { isNext, trailingSlash } = manifest
  const rules = createRedirectRules({ manifest, isPublicFile, forwarded })
  const localeRedirect = createLocaleRedirect(manifest)

  const redirect = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    location: string,
    cacheControl?: string,
  ): void => {
    const headers = ['location', location, 'content-length', '0']
    if (cacheControl !== undefined) headers.push('cache-control', cacheControl)
    // SECURITY: caches store 301 and 308 without Cache-Control: one client's redirect must not reach another.
    const { comparesClient } = exchangeOf(request)
    const isRuled = gatewayHeaders.addTo(headers, (name) => headers.includes(name), request)
    if (comparesClient && !isRuled && cacheControl === undefined) headers.push('cache-control', CACHE_NONE)
    gatewayHeaders.cdn?.ofOther(headers, exchangeOf(request), { status })
    response.writeHead(status, headers)
    response.end()
  }

  const sendDataRedirect = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const headers = [
      'content-type',
      'application/json; charset=utf-8',
      'content-length',
      String(Buffer.byteLength(body)),
    ]
    headers.push(HEADERS.build, manifest.buildId)
    // A rule for the page may allow a cache to store its redirects; a 200 without Cache-Control could be stored, too.
    const isRuled = gatewayHeaders.addTo(headers, (name) => name === 'content-type', request)
    if (!isRuled) headers.push('cache-control', CACHE_NONE)
    gatewayHeaders.cdn?.ofOther(headers, exchangeOf(request), { status: 200 })
    response.writeHead(200, headers)
    response.end(request.method === 'HEAD' ? undefined : body)
  }

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
      return redirect(request, response, 308, `${canonical.pathname}${search}`)
    }
    const preferred = localeRedirect?.(request, exchange)
    if (preferred !== undefined) return redirect(request, response, 307, preferred, CACHE_NONE)
    const found = rules.isEmpty ? undefined : rules.find(request, exchange)
    if (!found) return next()
    const { location, status } = found
    // SECURITY: a rule that guards a page guards its data, which the same browser could request.
    const { pageData } = exchange
    if (pageData) sendDataRedirect(request, response, redirectBody(pageData.as, found))
    else redirect(request, response, status, location)
  }
}
