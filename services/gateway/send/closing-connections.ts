// Connections that end with the response to a request. Until then node:http keeps parsing: what the parser takes for
// further requests is dropped without a response (G8).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ClosingConnections {
  /** The response to this request is the last one of its connection. */
  closeAfter(request: IncomingMessage, response: ServerResponse): void
  isClosing(socket: Socket): boolean
}

export function createClosingConnections(): ClosingConnections {
  const closing = new WeakSet<Socket>()
  return {
    closeAfter({ socket }, response) {
      closing.add(socket)
      response.shouldKeepAlive = false
    },
    isClosing: (socket) => closing.has(socket),
  }
}
