// The connections to one replica, kept and used again.

import { Agent, type ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** Services keep idle connections for 75 s; ours go first, so that no request meets a closing one. */
const IDLE_CONNECTION_MS = 60_000
/** All connections of an agent go to one place: they need no name made of its parts at each step. */
const NAME = 'replica'

/** What Agent has besides its documented members. */
interface AgentParts {
  sockets: Record<string, Socket[] | undefined>
  freeSockets: Record<string, Socket[] | undefined>
  addRequest(request: ClientRequest, options: unknown): void
}

/** Makes the agent of one replica. */
export function createReplicaAgent(): Agent {
  return new ReplicaAgent({
    keepAlive: true,
    // The last one used is the one least likely to be closed, and the rest can grow old.
    scheduling: 'lifo',
    maxFreeSockets: 256,
    timeout: IDLE_CONNECTION_MS,
  })
}

/** Closes the connections that wait for a request: when one has ended, the process behind all of them may be gone. */
export function closeIdleConnections({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

class ReplicaAgent extends Agent {
  /**
   * Without reading each answer's Keep-Alive header for a hint (which makes node:http build all header objects): every
   * service keeps idle connections longer than this agent does.
   */
  override keepSocketAlive(): boolean {
    return true
  }

  override getName(): string {
    return NAME
  }

  /**
   * Takes a kept connection as Agent does, without its copy of all options for the connection that need not be made.
   * Everything else is left to Agent.
   */
  addRequest(request: ClientRequest, options: unknown): void {
    // Not in the types, but what every agent is called by.
    const parts = this as unknown as AgentParts
    const socket = takeFree(parts)
    if (!socket) {
      // Agent's prototype has the method; its types do not.
      const inherited = Agent.prototype as unknown as AgentParts
      inherited.addRequest.call(this, request, options)
      return
    }
    const used = parts.sockets[NAME]
    if (used) used.push(socket)
    else parts.sockets[NAME] = [socket]
    this.reuseSocket(socket, request)
    request.onSocket(socket)
  }
}

function takeFree({ freeSockets }: AgentParts): Socket | undefined {
  const free = freeSockets[NAME]
  if (!free) return undefined
  let socket = free.pop()
  while (socket?.destroyed) socket = free.pop()
  if (free.length === 0) delete freeSockets[NAME]
  return socket
}
