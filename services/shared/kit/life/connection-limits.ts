// Limits the connections of a listener, all together and per address (G8), and closes connections whose client reads
// nothing of a response (G4, G8).

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../http/network-of.ts'
import type { RefusalReason } from '../observe/refusals.ts'
import { whenClosed } from '../when-closed.ts'

export interface ConnectionLimits {
  total: number
  /** Absent for listeners of a few services, whose addresses must not be limited. */
  perAddress?: number | undefined
  /** Addresses that are neither limited nor counted. */
  isExempt?: ((address: string) => boolean) | undefined
}

interface ConnectionLimiterDeps {
  limits: ConnectionLimits
  /** Sockets with a running request. Called only when the listener is full. */
  busySockets: () => ReadonlySet<unknown>
  note: (reason: RefusalReason) => void
}

/** Connections by address, oldest first. */
type Held<T> = ReadonlyMap<string, ReadonlySet<T>>

/** A full listener closes so many connections at a time: the search for one costs the same. */
const BATCH = 64

/** Limits the connections of a server. */
export function limitConnections(server: Server, { limits, busySockets, note }: ConnectionLimiterDeps): void {
  const { total, perAddress, isExempt } = limits
  const held = new Map<string, Set<Socket>>()
  let count = 0
  const remove = (group: string, socket: Socket) => {
    const sockets = held.get(group)
    if (!sockets?.delete(socket)) return
    count--
    if (sockets.size === 0) held.delete(group)
  }
  const makeRoom = (group: string) => {
    const busy = busySockets()
    for (const [from, socket] of connectionsToClose(held, group, BATCH, (one) => !busy.has(one))) {
      note('connection-displaced')
      remove(from, socket)
      socket.destroy()
    }
  }
  const refuse = (socket: Socket, reason: RefusalReason) => {
    note(reason)
    socket.destroy()
  }
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => {
      // After a 408 for a late head node:http ends the connection with this error.
      if ((socket.errored as NodeJS.ErrnoException | null)?.code === 'ERR_HTTP_REQUEST_TIMEOUT') note('head-late')
    })
    const address = socket.remoteAddress ?? ''
    if (isExempt?.(address)) return
    const group = perAddress === undefined ? '' : networkOf(address)
    if (perAddress !== undefined) {
      if ((held.get(group)?.size ?? 0) >= perAddress) return refuse(socket, 'connections-per-address')
      if (count >= total) makeRoom(group)
    }
    if (count >= total) return refuse(socket, 'connections')
    const sockets = held.get(group) ?? new Set()
    held.set(group, sockets.add(socket))
    count++
    socket.once('close', () => remove(group, socket))
  })
}

/**
 * The connections to close for a new one of the group `newcomer`: idle connections of the addresses that hold most,
 * oldest first. SECURITY: a client with many addresses fills the listener; connections of addresses that hold no more
 * than the newcomer are never closed, so that such a client loses its own connections.
 */
export function connectionsToClose<T>(
  held: Held<T>,
  newcomer: string,
  most: number,
  isIdle: (socket: T) => boolean,
): [group: string, socket: T][] {
  const least = (held.get(newcomer)?.size ?? 0) + 1
  const groups = [...held].filter(([, sockets]) => sockets.size > least).sort(([, a], [, b]) => b.size - a.size)
  const closed: [string, T][] = []
  for (const [group, sockets] of groups) {
    let remaining = sockets.size
    for (const socket of sockets) {
      if (closed.length >= most) return closed
      if (remaining <= least) break
      if (!isIdle(socket)) continue
      closed.push([group, socket])
      remaining--
    }
  }
  return closed
}

/**
 * The limit for the last piece of a body, which the gateway has passed on, and for responses that wait behind the piece.
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
    whenClosed(response, () => add(socket, -1))
  })
  server.setTimeout(stalledMs, (socket: Socket) => {
    if (socket.writableLength > 0) onStalled()
    // A request that runs may send nothing for longer. Without one node:http reports the end of the keep-alive time here,
    // and leaves the closing to this listener.
    else if (running.get(socket) !== 0) return
    socket.destroy()
  })
}
