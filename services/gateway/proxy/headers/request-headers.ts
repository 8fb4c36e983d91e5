// The headers that are sent upstream: without hop-by-hop and internal headers; only the gateway sets forwarded headers.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { plainTags } from '@portico/shared/kit/http/conditional.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { isGatewayHeader, isNotForwarded } from '@portico/shared/wire/policy/request-headers.ts'
import type { Exchange } from '../../request/exchange.ts'
import type { ForwardedFacts } from './forwarded.ts'
import { rememberKinds } from './name-kinds.ts'

/** As isGatewayHeader; request-framing.ts writes the framing. */
export const isWrittenByGateway = rememberKinds(isGatewayHeader)

/** Headers that are never sent upstream as they arrived. */
export const isDroppedHeader = rememberKinds(isNotForwarded)

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
