// Handles the Expect header before a request begins (RFC 9110 section 10.1.1).

import type { Server } from 'node:http'

/**
 * Sends 100 Continue, except for a request that waits behind another one on its connection: the client of such a
 * request sends the body without it. SECURITY: node:http writes 100 Continue between head and body of the final
 * response, which waits too, and the client would parse the rest of that body as the next response. Other expectations
 * are ignored: node:http would respond to them itself and read the next request before this one is checked.
 */
export function handleExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
}
