// Counts running requests by key, and with that limits the requests of one address whose responses are not sent (G8). A
// client has one for each of its connections, unless the client pipelines: then up to sixteen (pipelining.ts).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../http/network-of.ts'
import { whenClosed } from '../when-closed.ts'

/** Begins a request and returns the function that ends the request; undefined when too many of the key are running. */
export type BeginRequest = (key: string) => (() => void) | undefined

/** Counts the running requests of each key: `most` of one key at a time. */
export function createRunningRequests(most: number): BeginRequest {
  const running = new Map<string, number>()
  return function begin(key) {
    const count = running.get(key) ?? 0
    if (count >= most) return undefined
    running.set(key, count + 1)
    return function end() {
      const left = (running.get(key) ?? 1) - 1
      if (left > 0) running.set(key, left)
      else running.delete(key)
    }
  }
}

interface RunningLimit {
  /** The limit for one address. */
  most: number
  /** Whether requests of this address are neither limited nor counted. */
  isExempt: (address: string) => boolean
  onOver: () => void
}

/**
 * Creates the step, which returns whether the request is dropped because its connection was closed. SECURITY: pipelined
 * requests of a few connections would use every slot of a replica. They get no responses, which would use memory, too.
 */
export function limitRunning({ most, isExempt, onOver }: RunningLimit) {
  const begin = createRunningRequests(most)
  /** Undefined: exempt. */
  const groups = new WeakMap<Socket, string | undefined>()
  const groupOf = (socket: Socket): string | undefined => {
    if (groups.has(socket)) return groups.get(socket)
    const address = socket.remoteAddress ?? ''
    const group = isExempt(address) ? undefined : networkOf(address)
    groups.set(socket, group)
    return group
  }
  return function isOver({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const group = groupOf(socket)
    if (group === undefined) return false
    const end = begin(group)
    if (end) {
      whenClosed(response, end)
      return false
    }
    onOver()
    socket.destroy()
    return true
  }
}
