// The keep-alive connections to one replica.

import { Agent, type ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Services keep idle connections for 75 s; the agent closes them first, so that no request meets a closing connection.
 */
const IDLE_CONNECTION_MS = 60_000
/**
 * All connections of an agent have one destination: one constant name replaces a name built from the options each time.
 */
const NAME = 'replica'

/** Undocumented members of Agent. */
interface AgentParts {
  sockets: Record<string, Socket[] | undefined>
  freeSockets: Record<string, Socket[] | undefined>
  addRequest(request: ClientRequest, options: unknown): void
}

/** Creates the agent of one replica. */
export function createReplicaAgent(): Agent {
  return new ReplicaAgent({
    keepAlive: true,
    // The connection used last is the least likely to be closed; the others reach their timeout.
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
   * Does not read the Keep-Alive header of each response for a hint (which makes node:http build all header objects):
   * every service keeps idle connections longer than this agent.
   */
  override keepSocketAlive(): boolean {
    return true
  }

  override getName(): string {
    return NAME
  }

  /**
   * Takes a kept connection as Agent does, but does not copy all options for a connection that need not be created.
   * Agent does everything else.
   */
  addRequest(request: ClientRequest, options: unknown): void {
    // Missing in the types, but the method through which node:http calls every agent.
    const parts = this as unknown as AgentParts
    const socket = takeFree(parts)
    if (!socket) {
      // Agent's prototype has the method; Agent's types do not.
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
