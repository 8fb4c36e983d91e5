// The facts of a request for `has` conditions of redirects, header rules and rewrites (R7), as the upstream receives them.

import type { IncomingMessage } from 'node:http'
import { createFacts, type HasFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { parseCookie } from 'cookie'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'
import { isDroppedHeader } from '../proxy/headers/request-headers.ts'
import { exchangeOf } from '../request/exchange.ts'

/** Called only for a condition that needs the facts: most rules have none. */
type ForwardedReader = (request: IncomingMessage) => ForwardedFacts

/**
 * SECURITY: a header that the gateway itself writes or drops has the gateway's value, never the client's: a forged
 * X-Forwarded-Proto or Portico-Internal-… must not satisfy a condition.
 */
export function factsOf(request: IncomingMessage, search: string, forwarded: ForwardedReader): HasFacts {
  let cookies: ReturnType<typeof parseCookie> | undefined
  return createFacts({
    search,
    header: (name) => headerOf(request, name, forwarded),
    cookie(name) {
      cookies ??= parseCookie(request.headers.cookie ?? '')
      return cookies[name]
    },
    host: () => forwarded(request).host,
    noteCompared: () => {
      exchangeOf(request).comparesClient = true
    },
  })
}

function headerOf(request: IncomingMessage, name: string, forwarded: ForwardedReader) {
  switch (name) {
    case 'host':
      return request.headers.host
    case 'x-forwarded-for':
      return forwarded(request).client
    case 'x-forwarded-proto':
      return forwarded(request).proto
    case 'x-forwarded-host':
      return forwarded(request).host
    default:
      return isDroppedHeader(name) ? undefined : request.headers[name]
  }
}
