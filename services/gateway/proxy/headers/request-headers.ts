// The headers that are sent upstream: without hop-by-hop and internal headers; only the gateway sets forwarded headers.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { plainTags } from '@portico/shared/kit/http/conditional.ts'
import { HEADERS, INTERNAL_HEADER_PREFIX, MIDDLEWARE_HEADER_PREFIX } from '@portico/shared/wire/constants.ts'
import type { Exchange } from '../../request/exchange.ts'
import type { ForwardedFacts } from './forwarded.ts'
import { rememberKinds } from './name-kinds.ts'

/** Headers for one connection only: RFC 9110 section 7.6.1, and headers of older programs (G1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** Written below, by request-framing.ts, and by node:http. */
const WRITTEN: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'traceparent',
  'transfer-encoding',
  HEADERS.requestId,
])

/**
 * Whether the gateway alone writes a header of the upstream's request: the client's copy is never sent (G8). SECURITY: a
 * header of middleware's protocol from outside has led around the guards of other frameworks.
 */
export const isWrittenByGateway = rememberKinds(
  (name) =>
    WRITTEN.has(name) ||
    name.startsWith('x-forwarded-') ||
    name.startsWith(INTERNAL_HEADER_PREFIX) ||
    name.startsWith(MIDDLEWARE_HEADER_PREFIX),
)

/** Headers in which a client could claim another address. */
const NOT_BELIEVED: ReadonlySet<string> = new Set(['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip'])
/** The gateway has responded to this header already (100 Continue). */
const EXPECT = 'expect'

/** Headers that are never sent upstream as they arrived. */
export const isDroppedHeader = rememberKinds(
  (name) => HOP_BY_HOP.has(name) || isWrittenByGateway(name) || NOT_BELIEVED.has(name) || name === EXPECT,
)

/**
 * The header section for the upstream, without framing. The client's Connection header is not read: the guard
 * refuses one that names a header of this section.
 */
export function upstreamHeaders(
  request: IncomingMessage,
  exchange: Exchange,
  forwarded: ForwardedFacts,
): IncomingHttpHeaders {
  const given = request.headers
  const headers: IncomingHttpHeaders = { host: given.host }
  for (const name in given) if (!isDroppedHeader(name)) headers[name] = given[name]
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) headers['if-none-match'] = plainTags(ifNoneMatch)
  headers.traceparent = exchange.traceparent
  headers[HEADERS.requestId] = exchange.requestId
  headers['x-forwarded-for'] = forwarded.client
  headers['x-forwarded-proto'] = forwarded.proto
  headers['x-forwarded-host'] = forwarded.host
  return headers
}

/** The headers of an upgrade: the upgrade itself, and those that the gateway does not write. */
export function upgradeHeaders(given: IncomingHttpHeaders): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = { host: given.host, connection: 'Upgrade', upgrade: given.upgrade }
  for (const name in given) if (!isDroppedHeader(name)) headers[name] = given[name]
  return headers
}
