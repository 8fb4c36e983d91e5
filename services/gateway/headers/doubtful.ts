// Which requests different programs may read differently (R6, G8).

import type { IncomingMessage } from 'node:http'
import { isHost } from './forwarded.ts'
import { isAllowedConnection, readFraming } from './framing.ts'
import { isWrittenByGateway } from './request-headers.ts'

/**
 * Whether different programs may read the request differently. SECURITY: other versions, absolute targets, fragments,
 * doubtful hosts, framing and connection options lead around checks, poison caches and smuggle requests; nothing that
 * follows them on the connection is trusted.
 */
export function isDoubtful(request: IncomingMessage): boolean {
  return (
    !isKnownVersion(request) ||
    !isOriginForm(request.url ?? '') ||
    !isOneHost(request) ||
    !readFraming(request) ||
    !hasAllowedConnection(request)
  )
}

/** The parser of node:http parses 0.9 and 2.0 as HTTP/1.1. */
function isKnownVersion({ httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0'
}

/** RFC 9112 section 3.2.1. */
export function isOriginForm(target: string): boolean {
  return target.charCodeAt(0) === SLASH && !target.includes('#')
}

const SLASH = 47

/** RFC 9112 section 3.2: exactly one Host, and a valid one. */
function isOneHost(request: IncomingMessage): boolean {
  const { host } = request.headers
  if (host === undefined || !isHost(host)) return false
  const raw = request.rawHeaders
  let count = 0
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]!.length === 4 && raw[index]!.toLowerCase() === 'host') count++
  return count === 1
}

function hasAllowedConnection({ headers }: IncomingMessage): boolean {
  return isAllowedConnection(headers.connection, (name) => Object.hasOwn(headers, name) || isWrittenByGateway(name))
}
