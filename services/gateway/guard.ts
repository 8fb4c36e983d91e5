// Refuses what is malformed before anything is decided by it: targets, hosts, framing, percent sequences (R3, R6, G8).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { exchangeOf } from './exchange.ts'
import { isAllowedConnection } from './proxy/connection-header.ts'
import { isHost } from './proxy/forwarded.ts'
import { readFraming } from './proxy/request-framing.ts'
import { isWrittenByGateway } from './proxy/request-headers.ts'
import type { ErrorSender } from './send-error.ts'

/** Prepares the step. It returns whether it has answered. */
export function createGuard(errors: ErrorSender) {
  return function refuseMalformed(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname, socket } = exchangeOf(request)
    // SECURITY: the parser had read on before the refusal of the request in front closed the connection: what it took for
    // this request may be a part of that one. The end of the connection ends it without a response.
    if (errors.isClosing(socket)) return true
    if (isDoubtful(request)) errors.sendAndClose(request, response, 'bad-request')
    else if (!isDecodable(pathname)) errors.send(request, response, 'malformed-path')
    else return false
    return true
  }
}

/**
 * Whether different programs may read the request differently. SECURITY: absolute targets, fragments, doubtful hosts,
 * framing and connection options lead around checks, poison caches and smuggle requests; nothing that follows them on the
 * connection is trusted.
 */
export function isDoubtful(request: IncomingMessage): boolean {
  return (
    !isOriginForm(request.url ?? '') || !isOneHost(request) || !readFraming(request) || !hasAllowedConnection(request)
  )
}

function isOriginForm(target: string): boolean {
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
    // A malformed sequence is an answer (400), not a fault of ours.
    return false
  }
}
