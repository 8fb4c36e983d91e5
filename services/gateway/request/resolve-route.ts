// Finds the page of a request once, for every step that follows (C2): the proxy passes the resolution to the renderer.

import type { IncomingMessage } from 'node:http'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { NO_FACTS } from '@portico/shared/wire/routing/path-patterns.ts'
import { createPageResolver, type Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { factsOf } from '../rules/rule-facts.ts'
import { type Exchange, exchangeOf } from './exchange.ts'

export interface RouteResolverDeps {
  manifest: Pick<Manifest, 'buildId' | 'pages' | 'rewrites'>
  forwarded: (request: IncomingMessage) => ForwardedFacts
}

export type RouteResolver = ReturnType<typeof createRouteResolver>

/**
 * Notes the resolution in the exchange and returns it; undefined for an address that belongs to no page of this build:
 * files under development, and page data of another build, whose routes only its renderers know.
 */
export function createRouteResolver({ manifest, forwarded }: RouteResolverDeps) {
  const resolve = createPageResolver(manifest)
  const readsFacts = manifest.rewrites.some(({ has }) => has !== undefined)
  return function resolveRoute(request: IncomingMessage): Resolution | undefined {
    const exchange = exchangeOf(request)
    const path = pagePathOf(exchange, manifest.buildId)
    if (path === undefined) return undefined
    const { search } = exchange
    const resolution = resolve(path, search, readsFacts ? factsOf(request, search, forwarded) : NO_FACTS)
    exchange.resolution = resolution
    if (resolution.kind === 'page') {
      exchange.pattern = resolution.entry.pattern
      exchange.isRewritten = resolution.pathname !== path || resolution.search !== search
    }
    return resolution
  }
}

function pagePathOf({ route, path, pageData }: Exchange, buildId: string): string | undefined {
  if (pageData) return pageData.buildId === buildId ? pageData.pathname : undefined
  return route?.isPage ? path : undefined
}
