// The headers that are sent upstream: without hop-by-hop and internal headers. Only the gateway sets forwarded headers,
// and the header with what it has decided about the request (W9).

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { plainTags } from '@portico/shared/kit/http/conditional.ts'
import { HEADERS, INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { type Decided, formatPassedRoute } from '@portico/shared/wire/passed-route.ts'
import { isDropped, isGatewayHeader } from '@portico/shared/wire/policy/request-headers.ts'
import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { ForwardedFacts } from './forwarded.ts'

/** SECURITY: clients choose names, so the number of remembered names is limited. */
const KEPT_NAMES = 500

/** Wraps a function of a header's name, so that it runs once for each spelling. */
export function rememberKinds<T>(kindOf: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const kept = known.get(name)
    if (kept !== undefined) return kept
    const kind = kindOf(name)
    if (known.size < KEPT_NAMES) known.set(name, kind)
    return kind
  }
}

/** As isGatewayHeader; request-framing.ts writes the framing. */
export const isWrittenByGateway = rememberKinds(isGatewayHeader)

/** Headers that are never sent upstream as they arrived. */
export const isDroppedHeader = rememberKinds(isDropped)

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

/**
 * For each attempt, because replicas may have different versions. A replica whose version is unknown or of another build
 * receives no resolution: its routes may be others, and it resolves the path itself.
 */
export function passRoute(
  headers: IncomingHttpHeaders,
  { found: { resolution, isRewritten }, guarded }: Exchange,
  decided: Decided,
  { version, buildId }: { version: string | undefined; buildId: string },
): void {
  const isPage = resolution !== undefined && resolution.kind !== 'malformed'
  const isOfBuild = isPage && version !== undefined && buildOfVersion(version) === buildId
  // SECURITY: a replica that resolves the path itself must not find the page that middleware replaced or hid.
  const moved = isPage && guarded?.moved ? targetOf(guarded.moved) : undefined
  const found = isOfBuild ? { version, resolution, isRewritten } : undefined
  const text = formatPassedRoute(found, moved === undefined ? decided : { ...decided, moved })
  if (text !== undefined) headers[INTERNAL_HEADERS.route] = text
  else delete headers[INTERNAL_HEADERS.route]
}

function targetOf(moved: NonNullable<NonNullable<Exchange['guarded']>['moved']>): string | undefined {
  if (moved.kind === 'path') return moved.pathname + moved.search
  return moved.kind === 'nothing' ? NO_TARGET : undefined
}
