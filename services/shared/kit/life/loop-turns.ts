// What a saturated service does in one turn of the event loop (L4). Without these bounds a turn handles all requests that
// have arrived, and accepts one connection: with a thousand requests in flight a new connection waits for seconds.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:net'
import { type Address, checkPort, listen } from './listen.ts'

/** Requests that begin in one turn: few, so that it lasts milliseconds; enough that its own cost (20 µs) does not count. */
const REQUESTS_A_TURN = 16

/**
 * Connections that one turn accepts: of each socket that listens Node accepts one. As many as requests, so that a connection
 * waits no longer than the requests before it, also when a thousand clients connect together.
 */
const CONNECTIONS_A_TURN = 16

/** What the system reports where it does not spread the connections of a port over several sockets (macOS, Windows). */
const NO_SPREADING: ReadonlySet<unknown> = new Set(['ENOTSUP', 'EINVAL', 'ENOPROTOOPT'])

/**
 * Begins requests in turns, in the order of their arrival. What a request waits for later takes no part in it. A request
 * whose client has disconnected meanwhile is not run.
 */
export function beginInTurns(handler: RequestListener, most = REQUESTS_A_TURN): RequestListener {
  /** In the turn, and before it while they were few. */
  let begun = 0
  let isEndAwaited = false
  const waiting: [IncomingMessage, ServerResponse][] = []
  const awaitEnd = () => {
    if (isEndAwaited) return
    isEndAwaited = true
    setImmediate(endTurn)
  }
  const endTurn = () => {
    begun = 0
    isEndAwaited = false
    // Before the requests begin: one that throws leaves the others to the next turn.
    if (waiting.length > 0) awaitEnd()
    for (let next = waiting.shift(); next; next = begun < most ? waiting.shift() : undefined) {
      begun++
      const [request, response] = next
      if (!request.socket.destroyed) handler(request, response)
    }
  }
  return function beginOrWait(request, response) {
    if (begun === most) return void waiting.push([request, response])
    begun++
    // A service that is not saturated does not wait for the end of each turn: that is a turn more, with a call to the system.
    if (2 * begun >= most) awaitEnd()
    handler(request, response)
  }
}

/**
 * Listens with a server of node:http and, where the system spreads the connections of a port over several sockets, with more
 * sockets, whose connections the server receives. Adds them to `doors`, which end listening with the server. Resolves with
 * the port.
 */
export async function listenInTurns(server: Server, address: Address, doors: Server[]): Promise<number> {
  // The system would let two processes of one user have such a port.
  await checkPort(address)
  const port = await listenSpread(server, address)
  if (port === undefined) return listen(server, address)
  for (let more = 1; more < CONNECTIONS_A_TURN; more++) {
    // As node:http creates its own.
    const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
    doors.push(door)
    await listen(door, { ...address, port }, { reusePort: true })
  }
  return port
}

/** Resolves with the port; undefined where the system does not spread connections. */
async function listenSpread(server: Server, address: Address): Promise<number | undefined> {
  try {
    return await listen(server, address, { reusePort: true })
  } catch (error) {
    const { cause } = error as Error
    if (cause instanceof Error && 'code' in cause && NO_SPREADING.has(cause.code)) return undefined
    throw error
  }
}
