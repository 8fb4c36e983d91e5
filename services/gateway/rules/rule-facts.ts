// The facts of a request for `has` conditions of redirects, header rules and rewrites (R7), as the upstream receives
// them, and the names of rules, such as `redirects[3]`, for access lines and `portico why`.

import type { IncomingMessage } from 'node:http'
import type { Manifest, RewriteRule } from '@portico/shared/wire/build-output.ts'
import { createFacts, type HasFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { parseCookie } from 'cookie'
import { exchangeOf } from '../exchange/exchange.ts'
import { type ForwardedFacts, isDroppedHeader } from '../headers/headers.ts'

/** For example `redirects[3]`. */
export function ruleName(list: 'redirects' | 'headers', order: number): string {
  return `${list}[${order}]`
}

/**
 * The names of rewrites: `rewrites[0]`, or `rewrites.beforeFiles[0]` where the configuration has them by phase.
 *
 * @example nameRewrites(manifest.rewrites).get(rule)
 */
export function nameRewrites(rewrites: Manifest['rewrites']): ReadonlyMap<object, string> {
  const hasPhases = rewrites.some(({ phase }) => phase !== undefined)
  const counts = new Map<string, number>()
  const nameOf = ({ phase }: RewriteRule) => {
    const list = hasPhases ? `rewrites.${phase ?? 'afterFiles'}` : 'rewrites'
    const at = counts.get(list) ?? 0
    counts.set(list, at + 1)
    return `${list}[${at}]`
  }
  return new Map(rewrites.map((rule) => [rule, nameOf(rule)]))
}

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
