// What a server does about the Expect header before a request begins (RFC 9110 section 10.1.1).

import type { Server } from 'node:http'

/**
 * Sends 100 Continue, but not for a request that waits behind another one on its connection: its client sends the body
 * unasked. SECURITY: node:http writes it between head and body of the final response, which waits too, and the client
 * would take the rest of that body for the next response. Other expectations do not count: node:http would respond to them
 * by itself, and read on behind a request that has not been checked.
 */
export function handleExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
}
