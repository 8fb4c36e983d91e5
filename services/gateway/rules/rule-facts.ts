// The facts of a request for `has` conditions of redirects, header rules and rewrites (R7), as the upstream receives them.

import type { IncomingMessage } from 'node:http'
import { createFacts, type HasFacts } from '@portico/shared/wire/routing/path-patterns.ts'
import { parseCookie } from 'cookie'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { isDroppedHeader } from '../proxy/headers/request-headers.ts'
import { exchangeOf } from '../request/exchange.ts'

/**
 * SECURITY: a header that the gateway itself writes or drops has the gateway's value, never the client's: a forged
 * X-Forwarded-Proto or Portico-Internal-… must not satisfy a condition.
 */
export function factsOf(request: IncomingMessage, search: string, forwarded: ForwardedFacts): HasFacts {
  return createFacts({
    search,
    header: (name) => headerOf(request, name, forwarded),
    cookie: (name) => parseCookie(request.headers.cookie ?? '')[name],
    host: () => forwarded.host,
    noteCompared: () => {
      exchangeOf(request).comparesClient = true
    },
  })
}

function headerOf({ headers }: IncomingMessage, name: string, { client, proto, host }: ForwardedFacts) {
  switch (name) {
    case 'host':
      return headers.host
    case 'x-forwarded-for':
      return client
    case 'x-forwarded-proto':
      return proto
    case 'x-forwarded-host':
      return host
    default:
      return isDroppedHeader(name) ? undefined : headers[name]
  }
}
