// The keep-alive connections to one replica.

import { Agent, type ClientRequestArgs } from 'node:http'

/**
 * Services keep idle connections for 75 s; the agent closes them first, so that no request meets a closing connection.
 */
const IDLE_CONNECTION_MS = 60_000

type CreateCallback = Parameters<Agent['createConnection']>[1]

/** Creates the agent of one replica. */
export function createReplicaAgent(): Agent {
  // Agent copies its options for each request, so the defaults are not repeated: 256 free connections, `lifo`. The
  // connection used last is the least likely to be closed; the others reach their timeout.
  return new ReplicaAgent({ keepAlive: true })
}

/** Closes the idle connections: when one has ended, the process at the other end of all of them may have ended. */
export function closeIdleConnections({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

class ReplicaAgent extends Agent {
  /** The time limit belongs to the connection: as an option of the agent it costs each request a listener. */
  override createConnection(options: ClientRequestArgs, callback?: CreateCallback) {
    return super.createConnection({ ...options, timeout: IDLE_CONNECTION_MS }, callback)
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
