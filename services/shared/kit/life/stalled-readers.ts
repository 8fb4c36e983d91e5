// Closes connections whose client takes nothing of a response (G4, G8). The passing of a body has a limit of its own; the
// last piece, and responses that wait behind it on the connection, have this one.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * SECURITY: a client that reads nothing would hold its connection for ever, and the limit of connections in all closes
 * idle connections only. The time counts from the last byte that the system took over in either direction.
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
    // A request that runs may send nothing for longer. Without one node:http reports the end of the keep-alive time here,
    // and leaves the closing to this listener.
    else if (running.get(socket) !== 0) return
    socket.destroy()
  })
}
