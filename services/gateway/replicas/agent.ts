// The keep-alive connections to one replica.

import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http'
import { Socket } from 'node:net'
import { MAX_RESPONSE_HEAD_BYTES } from '@portico/shared/wire/constants.ts'

/**
 * Services keep idle connections for 75 s; the agent closes them first, so that no request meets a closing connection.
 */
const IDLE_CONNECTION_MS = 60_000

type CreateCallback = Parameters<Agent['createConnection']>[1]

/** An agent that counts the bytes of all responses. */
export interface CountingAgent extends Agent {
  receivedBytes(): number
}

/** Creates the agent of one replica. */
export function createReplicaAgent(): CountingAgent {
  // Agent copies its options for each request, so the defaults are not repeated: 256 free connections, `lifo`. The
  // connection used last is the least likely to be closed; the others reach their timeout.
  return new ReplicaAgent({ keepAlive: true })
}

/** Closes the idle connections: when one has ended, the process at the other end of all of them may have ended. */
export function closeIdleConnections({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/** How node:http passes a request to its agent, which its types do not have. */
interface RequestTaker {
  addRequest(request: ClientRequest & { maxHeaderSize?: number }, options: object): void
}

// The prototype has the method.
const { addRequest } = Agent.prototype as unknown as RequestTaker

class ReplicaAgent extends Agent implements CountingAgent, RequestTaker {
  /** Bytes of connections that have ended. */
  #endedBytes = 0

  /** The option `maxHeaderSize` of node:http, which http-proxy-middleware does not pass on. */
  addRequest(request: ClientRequest & { maxHeaderSize?: number }, options: object): void {
    request.maxHeaderSize = MAX_RESPONSE_HEAD_BYTES
    addRequest.call(this, request, options)
  }

  /** The time limit belongs to the connection: as an option of the agent it costs each request a listener. */
  override createConnection(options: ClientRequestArgs, callback?: CreateCallback) {
    const socket = super.createConnection({ ...options, timeout: IDLE_CONNECTION_MS }, callback)
    // Connections to replicas are those of node:net.
    if (socket instanceof Socket) socket.once('close', () => (this.#endedBytes += socket.bytesRead))
    return socket
  }

  /** Read a few times a second: a listener of each response would cost more than the counts of its connections. */
  receivedBytes(): number {
    let bytes = this.#endedBytes
    for (const sockets of [...Object.values(this.sockets), ...Object.values(this.freeSockets)])
      for (const socket of sockets ?? []) bytes += socket.bytesRead
    return bytes
  }

  /**
   * Does not read the Keep-Alive header of each response for a hint (which makes node:http build all header objects):
   * every service keeps idle connections longer than this agent.
   */
  override keepSocketAlive(): boolean {
    return true
  }

  /** All connections of an agent have one destination: a constant replaces a name built from the options each time. */
  override getName(): string {
    return 'replica'
  }
}
