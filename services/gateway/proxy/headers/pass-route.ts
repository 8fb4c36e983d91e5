// Writes the gateway's resolution into the header section of a request to a renderer (W9).

import type { IncomingHttpHeaders } from 'node:http'
import { INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { formatPassedRoute } from '@portico/shared/wire/routing/passed-route.ts'
import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import type { Exchange } from '../../request/exchange.ts'

/**
 * For each attempt, because replicas may have different versions. A replica whose version is unknown or of another build
 * receives no resolution: its routes may be others, and it resolves the path itself.
 */
export function passRoute(
  headers: IncomingHttpHeaders,
  { found, guarded }: Exchange,
  version: string | undefined,
  buildId: string,
): void {
  const { resolution, isRewritten } = found
  if (resolution === undefined || resolution.kind === 'malformed') return
  // SECURITY: a replica that resolves the path itself must not find the page that middleware replaced or hid.
  const moved = guarded?.moved
  if (moved?.kind === 'path') headers[INTERNAL_HEADERS.target] = moved.pathname + moved.search
  else if (moved?.kind === 'nothing') headers[INTERNAL_HEADERS.target] = NO_TARGET
  const isOfBuild = version !== undefined && buildOfVersion(version) === buildId
  const text = isOfBuild ? formatPassedRoute({ version, resolution, isRewritten }) : undefined
  if (text !== undefined) headers[INTERNAL_HEADERS.route] = text
  else delete headers[INTERNAL_HEADERS.route]
}
