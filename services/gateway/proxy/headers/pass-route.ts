// Writes what the gateway has decided into the header section of a request to a service (W9).

import type { IncomingHttpHeaders } from 'node:http'
import { INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { type Decided, formatPassedRoute } from '@portico/shared/wire/routing/passed-route.ts'
import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import type { Exchange } from '../../request/exchange.ts'

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
