// Refuses what is malformed before anything is decided by it: targets, hosts, percent sequences (R3, R6).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { exchangeOf } from './exchange.ts'
import { isHost } from './proxy/forwarded.ts'
import type { ErrorSender } from './send-error.ts'

/** Prepares the step. It returns whether it has answered. */
export function createGuard(errors: ErrorSender) {
  return function refuseMalformed(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = exchangeOf(request)
    // SECURITY: absolute targets, fragments and doubtful hosts are read differently by different programs (routing
    // around checks, cache poisoning); nothing that follows them on the connection is trusted.
    if (!isOriginForm(pathname, request.url ?? '') || !isOneHost(request) || !isPlainFraming(request))
      errors.sendAndClose(request, response, 'bad-request')
    else if (!isDecodable(pathname)) errors.send(request, response, 'malformed-path')
    else return false
    return true
  }
}

function isOriginForm(pathname: string, target: string): boolean {
  return pathname.charCodeAt(0) === SLASH && !target.includes('#')
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

/** The parser of node:http refuses two framings at once; what is left is an encoding that we would not pass on. */
function isPlainFraming(request: IncomingMessage): boolean {
  const coding = request.headers['transfer-encoding']
  return coding === undefined || (coding.toLowerCase() === 'chunked' && request.headers['content-length'] === undefined)
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
