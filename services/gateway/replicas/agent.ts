// The keep-alive connections to one replica, or to one other host.

import { Agent, type ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { CONNECT_TIMEOUT, codedError } from '@portico/shared/kit/inner/faults.ts'
import { CONNECT_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'

/**
 * Services keep idle connections for 75 s; the agent closes them first, so that no request meets a closing connection.
 */
const IDLE_CONNECTION_MS = 60_000

type PassOn = NonNullable<Parameters<Agent['createConnection']>[1]>

/** The agent of one replica. */
export interface ReplicaAgent extends Agent {
  /** The bytes of all responses. */
  receivedBytes(): number
  /** Ends the connections that are not made yet; their requests fail with the error. */
  leaveConnecting(error: Error): void
}

/** Creates the agent of one replica. */
export function createReplicaAgent(connectTimeoutMs?: number): ReplicaAgent {
  // Agent copies its options for each request, so the defaults are not repeated: 256 free connections, `lifo`. The
  // connection used last is the least likely to be closed; the others reach their timeout.
  return new AgentOfReplica(connectTimeoutMs)
}

/** Closes the idle connections: when one has ended, the process at the other end of all of them may have ended. */
export function closeIdleConnections({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/**
 * New connections, each passed on once it is made: a request without a connection has sent nothing, not even a byte of its
 * body, and can be sent to another replica.
 */
export function createConnecting(timeoutMs = CONNECT_TIMEOUT_MS) {
  const connecting = new Set<Socket>()
  return {
    passOnceMade(socket: Socket, passOn: PassOn): void {
      connecting.add(socket)
      const end = (error: Error | null) => {
        if (!connecting.delete(socket)) return
        clearTimeout(timer)
        passOn(error, socket)
      }
      const endLate = () => {
        // A handshake of TLS has no end, either, where the other host does not respond.
        if (connecting.has(socket)) socket.destroy(codedError(CONNECT_TIMEOUT, 'the connection was not made in time'))
      }
      // Timers run before the events of sockets: in a busy process the connection may be made but not reported yet.
      const timer = setTimeout(() => setImmediate(endLate), timeoutMs)
      socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => end(null))
      socket.once('error', end)
      socket.once('close', () => end(codedError('ECONNRESET', 'the connection was ended before it was made')))
    },
    leave(error: Error): void {
      for (const socket of connecting) socket.destroy(error)
    },
  }
}

class AgentOfReplica extends Agent implements ReplicaAgent {
  /** Bytes of connections that have ended. */
  #endedBytes = 0
  readonly #connecting

  constructor(connectTimeoutMs?: number) {
    super({ keepAlive: true })
    this.#connecting = createConnecting(connectTimeoutMs)
  }

  /** The time limit belongs to the connection: as an option of the agent it costs each request a listener. */
  override createConnection(options: ClientRequestArgs, passOn: PassOn) {
    // Connections to replicas are those of node:net.
    const socket = super.createConnection({ ...options, timeout: IDLE_CONNECTION_MS }) as Socket
    socket.once('close', () => (this.#endedBytes += socket.bytesRead))
    this.#connecting.passOnceMade(socket, passOn)
    return undefined
  }

  /** Read a few times a second: a listener of each response would cost more than the counts of its connections. */
  receivedBytes(): number {
    let bytes = this.#endedBytes
    for (const sockets of [...Object.values(this.sockets), ...Object.values(this.freeSockets)])
      for (const socket of sockets ?? []) bytes += socket.bytesRead
    return bytes
  }

  leaveConnecting(error: Error): void {
    this.#connecting.leave(error)
  }

  override destroy(): void {
    super.destroy()
    this.#connecting.leave(codedError('ECONNRESET', 'the replica was removed'))
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
