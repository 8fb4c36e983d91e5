// Closes connections whose client reads nothing of a response (G4, G8). The proxy limits the time for pieces of a body;
// this file limits the time for the last piece and for pipelined responses behind it.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * SECURITY: a client that reads nothing would hold its connection forever, and the limit for all connections closes only
 * idle ones. The time counts from the last byte that was sent or received.
 */
export function closeStalledReaders(server: Server, stalledMs: number, onStalled: () => void): void {
  const running = new WeakMap<Socket, number>()
  const add = (socket: Socket, count: number) => running.set(socket, (running.get(socket) ?? 0) + count)
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // Closed by running-requests.ts: the rest of its packet must cost little.
    if (socket.destroyed) return
    add(socket, 1)
    response.once('close', () => add(socket, -1))
  })
  server.setTimeout(stalledMs, (socket: Socket) => {
    if (socket.writableLength > 0) onStalled()
    // The response to a running request may begin later. Without a running request node:http reports the end of the
    // keep-alive time here, and this listener must close the connection.
    else if (running.get(socket) !== 0) return
    socket.destroy()
  })
}
