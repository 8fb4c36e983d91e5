// Refuses malformed requests before another step reads them: targets, hosts, framing, percent sequences (R3, R6, G8).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAllowedConnection } from '../proxy/headers/connection-header.ts'
import { isHost } from '../proxy/headers/forwarded.ts'
import { dropMeaninglessBody, readFraming } from '../proxy/headers/request-framing.ts'
import { isWrittenByGateway } from '../proxy/headers/request-headers.ts'
import type { Reply } from '../send/reply.ts'
import type { ClosingConnections } from './closing-connections.ts'
import { exchangeOf } from './exchange.ts'

/** Creates the step. */
export function createGuard(connections: ClosingConnections) {
  return function refuseMalformed(request: IncomingMessage, response: ServerResponse): Reply | undefined {
    const { pathname, socket } = exchangeOf(request)
    // SECURITY: bytes behind a doubtful request may be a part of that request. Closing the connection ends this response.
    if (connections.isClosing(socket)) return { kind: 'none' }
    // SECURITY: the parser of node:http drops what follows an offer to upgrade in the same segment, and parses the next
    // segment as the start of a request, even if it is the body of a dropped request.
    const { upgrade, expect } = request.headers
    if (upgrade !== undefined) connections.closeAfter(request, response)
    // A pipelined request that waits gets no 100 Continue, and node:http closes the connection after its response.
    if (expect !== undefined && !response.socket) connections.closeAfter(request, response)
    if (isDoubtful(request)) return { kind: 'error', code: 'bad-request', isLast: true }
    if (!isDecodable(pathname)) return { kind: 'error', code: 'malformed-path' }
    dropMeaninglessBody(request)
    return undefined
  }
}

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

function isDecodable(pathname: string): boolean {
  if (!pathname.includes('%')) return true
  try {
    return !decodeURIComponent(pathname).includes('\0')
  } catch {
    // A malformed sequence is the client's fault (400).
    return false
  }
}
