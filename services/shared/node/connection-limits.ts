// How many connections a listener holds, in all and per address (G8).

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './network-of.ts'
import type { RefusalReason } from './refusals.ts'

export interface ConnectionLimits {
  inAll: number
  /** Absent where all connections come from a few services: there one address must not be limited. */
  perAddress?: number | undefined
  /** Addresses that are neither limited nor counted. */
  isExempt?: ((address: string) => boolean) | undefined
}

export interface ConnectionLimiterDeps {
  limits: ConnectionLimits
  /** Sockets on which a request runs. Called only when the listener is full. */
  busySockets: () => ReadonlySet<unknown>
  note: (reason: RefusalReason) => void
}

/** Connections by address, the oldest first. */
export type Held<T> = ReadonlyMap<string, ReadonlySet<T>>

/** When the listener is full, room is made for so many at once: the search costs the same for one. */
const BATCH = 64

/** Limits the connections of a server. */
export function limitConnections(server: Server, { limits, busySockets, note }: ConnectionLimiterDeps): void {
  const { inAll, perAddress, isExempt } = limits
  const held = new Map<string, Set<Socket>>()
  let count = 0
  const forget = (group: string, socket: Socket) => {
    const sockets = held.get(group)
    if (!sockets?.delete(socket)) return
    count--
    if (sockets.size === 0) held.delete(group)
  }
  const makeRoom = (group: string) => {
    const busy = busySockets()
    for (const [from, socket] of connectionsToClose(held, group, BATCH, (one) => !busy.has(one))) {
      note('connection-displaced')
      forget(from, socket)
      socket.destroy()
    }
  }
  const refuse = (socket: Socket, reason: RefusalReason) => {
    note(reason)
    socket.destroy()
  }
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => {
      // node:http ends a connection with this error when a head takes too long, after a 408.
      if ((socket.errored as NodeJS.ErrnoException | null)?.code === 'ERR_HTTP_REQUEST_TIMEOUT') note('head-late')
    })
    const address = socket.remoteAddress ?? ''
    if (isExempt?.(address)) return
    const group = perAddress === undefined ? '' : networkOf(address)
    if (perAddress !== undefined) {
      if ((held.get(group)?.size ?? 0) >= perAddress) return refuse(socket, 'connections-per-address')
      if (count >= inAll) makeRoom(group)
    }
    if (count >= inAll) return refuse(socket, 'connections')
    const sockets = held.get(group) ?? new Set()
    held.set(group, sockets.add(socket))
    count++
    socket.once('close', () => forget(group, socket))
  })
}

/**
 * Which connections make room for one of the group `newcomer`: idle ones of the addresses that hold most, the oldest
 * first. SECURITY: a client with many addresses fills the listener; connections of addresses that hold no more than the
 * newcomer's are never closed, so such a client loses its own.
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
    let left = sockets.size
    for (const socket of sockets) {
      if (closed.length >= most) return closed
      if (left <= least) break
      if (!isIdle(socket)) continue
      closed.push([group, socket])
      left--
    }
  }
  return closed
}
