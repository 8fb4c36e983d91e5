// The headers that the gateway adds to every response: the request id, the site's own header rules (R7) and the security
// defaults (G6). An upstream's own header takes precedence over one of middleware, that over a rule, a rule over a default.

import type { IncomingMessage } from 'node:http'
import type { HeaderRule, Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { fillName, fillText } from '@portico/shared/wire/patterns/destination.ts'
import { isReservedHeader } from '@portico/shared/wire/patterns/reserved-headers.ts'
import { createRuleIndex } from '@portico/shared/wire/patterns/rule-index.ts'
import type { CdnHeaders } from '../cdn/cdn-headers.ts'
import { addGuarded } from '../middleware/guarded-headers.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { type Exchange, exchangeOf } from '../request/exchange.ts'
import { VARY_OF_ROOT } from './locale-redirect.ts'
import { factsOf } from './rule-facts.ts'
import { securityHeaders } from './security-headers.ts'

interface GatewayHeadersOptions {
  basePath: string
  i18n?: Manifest['i18n']
  rules: readonly HeaderRule[]
  /** Rules distinguish upper and lower case. */
  isExact?: boolean | undefined
  publicOrigins: readonly string[]
  forwarded: (request: IncomingMessage) => ForwardedFacts
  cdn?: CdnHeaders | undefined
}

export interface GatewayHeaders {
  /**
   * Adds names and values to a flat list. `has` reports lower-case names that the response sets itself. Returns whether
   * a rule or middleware set Cache-Control.
   */
  addTo(headers: string[], has: (name: string) => boolean, request: IncomingMessage): boolean
  /** Completes the list last; undefined without a CDN. Files keep their Cache-Control. */
  readonly cdn: CdnHeaders | undefined
}

/** Compiles rules and defaults once. */
export function createGatewayHeaders({
  basePath,
  i18n,
  rules,
  isExact,
  publicOrigins,
  forwarded,
  cdn,
}: GatewayHeadersOptions): GatewayHeaders {
  const index = createRuleIndex(rules, i18n, isExact)
  const defaults = Object.entries(securityHeaders(publicOrigins))
  const ruled = (exchange: Exchange, request: IncomingMessage): Map<string, string> => {
    const found = new Map<string, string>()
    // The data of a page gets the headers of the page.
    const path = exchange.pageData?.pathname ?? exchange.path
    const whole = exchange.pageData ? basePath + exchange.pageData.pathname : exchange.pathname
    for (const { rule, params } of index.matches(path, whole, factsOf(request, exchange.search, forwarded)))
      for (const { key, value } of rule.headers) {
        const name = fillName(key, params)?.toLowerCase()
        // SECURITY: a parameter, or the manifest of an earlier build, could make a name that the build refuses.
        if (name !== undefined && !isReservedHeader(name)) found.set(name, fillText(value, params))
      }
    return found
  }
  return {
    cdn,
    addTo(headers, has, request) {
      const exchange = exchangeOf(request)
      headers.push(HEADERS.requestId, exchange.requestId)
      // A separate line: lines of one list are joined (RFC 9110 section 5.3).
      if (exchange.variesByLocale) headers.push('vary', VARY_OF_ROOT)
      const { guarded, code } = exchange
      const given = guarded && addGuarded(headers, has, guarded, code !== undefined)
      const isSet = given ? (name: string) => given.has(name) || has(name) : has
      const own = index.isEmpty ? undefined : ruled(exchange, request)
      if (own) for (const [name, value] of own) if (!isSet(name)) headers.push(name, value)
      for (const [name, value] of defaults) if (!isSet(name) && !own?.has(name)) headers.push(name, value)
      return given?.has('cache-control') || (own?.has('cache-control') ?? false)
    },
  }
}
