// The HTTP servers of a service, each with the limits of every listener (G8): time for a head, idle time and minimum
// rate of a body, connections. A connection over a limit is closed here; refusals.ts counts the reasons.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import {
  BODY_IDLE_MS,
  MAX_CONNECTIONS,
  MAX_HEAD_BYTES,
  MAX_INNER_HEAD_BYTES,
  RESPONSE_STALLED_MS,
} from '../../wire/constants.ts'
import { isClientGone } from '../http/client-gone.ts'
import { sendError } from '../http/error-response.ts'
import type { Refusals } from '../observe/refusals.ts'
import { type Arrival, type ArrivalFault, beginArrival, observeArrival } from './body-arrival.ts'
import { type ConnectionLimits, closeStalledReaders, limitConnections } from './connection-limits.ts'
import { limitPipelining } from './pipelining.ts'
import { limitRunning } from './running-requests.ts'

/**
 * SECURITY: a connection without a complete head is closed with 408 after this time (slow heads hold descriptors).
 * Node's limit for the whole request would end long uploads that make progress: bodies have the limits below.
 */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 0, connectionsCheckingInterval: 5000 }
const SWEEP_MS = 1000
/**
 * Behind the gateway a body may be idle a little longer, so that the gateway refuses the body first, in its own form.
 */
const BEHIND_GATEWAY_IDLE_MS = BODY_IDLE_MS + 5000

/** Clients of a listener that are not services of the stack. */
export interface PublicClients {
  maxConnectionsPerAddress: number
  /** Time limit for a client that reads nothing of a response. */
  stalledMs?: number | undefined
  /** Whether connections of this address are exempt. */
  isTrusted: (address: string) => boolean
  /** Responds to a request whose body is refused, in the form that the client can read. */
  refuseBody: (request: IncomingMessage, response: ServerResponse, fault: ArrivalFault) => void
}

interface ServerDetails {
  name: string
  options: ServerOptions
  handler: RequestListener
  clients?: PublicClients | undefined
  /** Running responses: connections without one may be closed to make room. */
  running?: readonly ServerResponse[]
}

export interface LimitedServers {
  create(details: ServerDetails): Server
  /** Ends the sweep. */
  close(): void
}

interface Body {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: ServerDetails
  receivedBytes: number
  arrival: Arrival
}

interface LimitedServersDeps {
  refusals: Refusals
  maxConnections?: number | undefined
  now?: () => number
}

/** Creates the servers of one service; one sweep checks the arriving bodies of all servers. */
export function createLimitedServers(deps: LimitedServersDeps): LimitedServers {
  const { refusals, maxConnections = MAX_CONNECTIONS, now = () => performance.now() } = deps
  const bodies = createBodySweep(refusals, now)
  return {
    create(details) {
      const { name, options, handler, clients, running } = details
      const isOver =
        clients &&
        limitRunning({
          most: clients.maxConnectionsPerAddress,
          isExempt: clients.isTrusted,
          onOver: () => refusals.note(name, 'requests-per-address'),
        })
      const maxHeaderSize = clients ? MAX_HEAD_BYTES : MAX_INNER_HEAD_BYTES
      const server = createServer({ ...TIMEOUTS, maxHeaderSize, ...options }, (request, response) => {
        // The parser may have begun the request before its connection was closed.
        if (isClientGone(response) || isOver?.(request, response)) return
        const { headers } = request
        if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
          setImmediate(bodies.watchRest, request, response, details)
        handler(request, response)
      })
      if (clients) {
        limitPipelining(server)
        closeStalledReaders(server, clients.stalledMs ?? RESPONSE_STALLED_MS, () =>
          refusals.note(name, 'response-unread'),
        )
      }
      const limits: ConnectionLimits = {
        total: maxConnections,
        perAddress: clients?.maxConnectionsPerAddress,
        isExempt: clients?.isTrusted,
      }
      const busySockets = () => new Set(running?.map((response) => response.req.socket))
      limitConnections(server, { limits, busySockets, note: (reason) => refusals.note(name, reason) })
      return server
    },
    close: bodies.close,
  }
}

/** Checks arriving bodies at an interval, and refuses those that are late. */
function createBodySweep(refusals: Refusals, now: () => number) {
  const bodies = new Set<Body>()

  /** Most bodies arrive with their head and are complete once the parser has returned: only the others are checked. */
  const watchRest = (request: IncomingMessage, response: ServerResponse, server: ServerDetails) => {
    if (request.complete || request.socket.destroyed) return
    const body: Body = { request, response, server, receivedBytes: 0, arrival: beginArrival(now()) }
    bodies.add(body)
    // node:http pushes payload, never framing, and null at the end: only `push` sees all bodies, read or not.
    const push = request.push
    request.push = function countPayload(chunk: Buffer | null, encoding) {
      if (chunk === null) bodies.delete(body)
      else body.receivedBytes += chunk.length
      return push.call(request, chunk, encoding)
    }
  }

  const check = (body: Body) => {
    const { request, response, server, receivedBytes } = body
    if (request.complete || request.socket.destroyed) return void bodies.delete(body)
    const observation = {
      now: now(),
      receivedBytes,
      isUnread: request.readableLength > 0,
      isResponded: response.writableFinished,
    }
    const observed = observeArrival(body.arrival, observation, server.clients ? BODY_IDLE_MS : BEHIND_GATEWAY_IDLE_MS)
    body.arrival = observed.arrival
    if (!observed.fault) return
    bodies.delete(body)
    refusals.note(server.name, observed.fault)
    if (response.writableEnded) request.socket.destroy()
    else (server.clients?.refuseBody ?? refusePlainly)(request, response, observed.fault)
  }

  const sweep = () => {
    for (const body of bodies) check(body)
    refusals.report()
  }
  // Timers run before the sockets' turn: bytes that arrived while the process was busy must be counted first.
  const timer = setInterval(() => setImmediate(sweep), SWEEP_MS).unref()
  return { watchRest, close: () => clearInterval(timer) }
}

function refusePlainly(_request: IncomingMessage, response: ServerResponse, fault: ArrivalFault): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
  sendError(response, 'data', { code: fault === 'body-unread' ? 'overloaded' : 'body-late' })
}
