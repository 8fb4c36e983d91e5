// Refuses malformed requests before another step reads them: targets, hosts, framing, percent sequences (R3, R6, G8).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { exchangeOf, type Reply } from '../exchange/exchange.ts'
import { dropMeaninglessBody, isDoubtful } from '../headers/headers.ts'
import type { ClosingConnections } from '../send/send.ts'

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

function isDecodable(pathname: string): boolean {
  if (!pathname.includes('%')) return true
  try {
    return !decodeURIComponent(pathname).includes('\0')
  } catch {
    // A malformed sequence is the client's fault (400).
    return false
  }
}
