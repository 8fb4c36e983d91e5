// Answers that only say where to go: non-canonical paths (R6) and the redirects of portico.config.ts (R7). Between the
// two the route is found, because only pages take part in `trailingSlash`.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Manifest } from '../shared/wire/build-output.ts'
import { PREFIX_SEGMENT } from '../shared/wire/constants.ts'
import { fillDestination, type PatternParams } from '../shared/wire/path-patterns.ts'
import { type CanonicalPath, canonicalPath } from '../shared/wire/urls.ts'
import type { AnswerHeaders } from './answer-headers.ts'
import { exchangeOf } from './exchange.ts'
import { createRuleIndex, factsOf } from './path-rules.ts'
import type { ForwardedFacts } from './proxy/forwarded.ts'
import { findRoute, type Route } from './routes.ts'
import type { ErrorSender } from './send-error.ts'

export interface RedirectorDeps {
  manifest: Pick<Manifest, 'basePath' | 'trailingSlash' | 'redirects'>
  routes: readonly Route[]
  forwarded: (request: IncomingMessage) => ForwardedFacts
  answerHeaders: AnswerHeaders
  errors: ErrorSender
}

/** Prepares the step. It notes the route in the exchange, and returns whether it has answered. */
export function createRedirector({ manifest, routes, forwarded, answerHeaders, errors }: RedirectorDeps) {
  const { basePath, trailingSlash } = manifest
  const rules = createRuleIndex(manifest.redirects)

  const redirect = (request: IncomingMessage, response: ServerResponse, status: number, location: string): true => {
    const headers = ['location', location, 'content-length', '0']
    answerHeaders.complete(headers, () => false, request)
    response.writeHead(status, headers)
    response.end()
    return true
  }

  return function redirectElsewhere(request: IncomingMessage, response: ServerResponse): boolean {
    const exchange = exchangeOf(request)
    const { pathname, search, path } = exchange
    if (path !== undefined) exchange.route = findRoute(routes, path, request)
    const isPage = exchange.route === undefined || exchange.route.isPage === true
    // With `trailingSlash` an address under /api is taken with or without one: programs post to it as they know it.
    const canonical =
      pathname === '/'
        ? ROOT
        : canonicalPath(
            !isPage && trailingSlash && pathname.length > 1 && pathname.endsWith('/')
              ? pathname.slice(0, -1)
              : pathname,
            isPage && trailingSlash,
          )
    if (canonical.kind === 'redirect') {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        errors.send(request, response, 'non-canonical-path')
        return true
      }
      return redirect(request, response, 308, `${canonical.pathname}${search}`)
    }
    if (path !== undefined && !rules.isEmpty && !isOwn(path))
      for (const { rule, params } of rules.matches(path, factsOf(request, search, forwarded(request))))
        return redirect(request, response, rule.status, redirectLocation(rule.destination, params, search, basePath))
    return false
  }
}

/** The most asked path needs no look. */
const ROOT: CanonicalPath = { kind: 'canonical' }

/** The framework's own addresses are not the site author's to move. */
function isOwn(path: string): boolean {
  return path === `/${PREFIX_SEGMENT}` || path.startsWith(`/${PREFIX_SEGMENT}/`)
}

/**
 * The Location of a rule. A destination on this site gets basePath; the request's query is kept behind the
 * destination's own.
 */
function redirectLocation(destination: string, params: PatternParams, search: string, basePath: string): string {
  const filled = fillDestination(destination, params)
  const location = filled.startsWith('/') ? `${basePath}${filled}` : filled
  if (search === '') return location
  const hash = location.indexOf('#')
  const target = hash < 0 ? location : location.slice(0, hash)
  const fragment = hash < 0 ? '' : location.slice(hash)
  return `${target}${target.includes('?') ? `&${search.slice(1)}` : search}${fragment}`
}
