// The listeners of a service: opens them, and knows their connections and running responses, which serve-drain.ts needs.

import type { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { handleExpectations } from '../http/expectations.ts'
import { removeFrom } from '../http/unordered.ts'
import { traceRequest } from '../observe/tracing.ts'
import type { LimitedServers, PublicClients } from './limited-servers.ts'

interface Address {
  /** Name in logs and in `ports`. */
  name: string
  host: string
  /** 0 lets the system choose. */
  port: number
}

export interface Listener extends Address {
  /** True if another service needs the listener during the warm-up; every other listener opens after the warm-up. */
  opensBeforeWarmUp?: boolean
  handler: RequestListener
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** False if the handler itself refuses requests without a Host header (default true). */
  requireHostHeader?: boolean
  /** Milliseconds; longer than any client's keep-alive, so that the client closes first (default 75 000). */
  keepAliveTimeoutMs?: number
  /** Present if clients connect that are not services of the stack. */
  clients?: PublicClients
}

export interface Listeners {
  /** Ports by name. */
  readonly ports: Record<string, number>
  readonly servers: readonly Server[]
  readonly connections: ReadonlySet<Socket>
  /** Connections that left HTTP. */
  readonly upgraded: ReadonlySet<Duplex>
  /** Running responses. */
  readonly running: readonly ServerResponse[]
  /** Rejects when the port is in use. */
  open(listener: Listener): Promise<void>
  /** Accepts no more connections, and closes none. */
  endListening(): void
}

/** Responses that end while `isDraining` close their connection. */
export function createListeners(limited: LimitedServers, isDraining: () => boolean): Listeners {
  const ports: Record<string, number> = {}
  const servers: Server[] = []
  const connections = new Set<Socket>()
  const upgraded = new Set<Duplex>()
  /** Not a Set, see unordered.ts: it would keep responses and their requests long after their end. */
  const running: ServerResponse[] = []
  return {
    ports,
    servers,
    connections,
    upgraded,
    running,
    async open(listener) {
      const {
        name,
        clients,
        handler,
        keepAliveTimeoutMs: keepAliveTimeout = 75_000,
        requireHostHeader = true,
      } = listener
      const server = limited.create({
        name,
        options: { keepAliveTimeout, requireHostHeader },
        clients,
        running,
        handler: (request, response) => {
          if (isDraining()) response.shouldKeepAlive = false
          running.push(response)
          response.on('close', () => removeFrom(running, response))
          traceRequest(request, response, handler)
        },
      })
      handleExpectations(server)
      server.on('connection', (socket) => keepUntilClosed(connections, socket))
      acceptUpgrades(server, listener, upgraded)
      servers.push(server)
      ports[name] = await listen(server, listener)
    },
    endListening() {
      // The method of node:http also closes idle connections, whose next request may be on its way.
      for (const server of servers) NetServer.prototype.close.call(server)
    },
  }
}

function keepUntilClosed<Item extends EventEmitter>(kept: Set<Item>, item: Item): void {
  kept.add(item)
  item.on('close', () => kept.delete(item))
}

/** A server without a listener for upgrades responds to them as to other requests. */
function acceptUpgrades(server: Server, { onUpgrade }: Listener, upgraded: Set<Duplex>): void {
  if (!onUpgrade) return
  server.on('upgrade', (request, socket, head) => {
    keepUntilClosed(upgraded, socket)
    // Node removes its own listener when it hands a socket over: without a listener a reset would end the process.
    socket.on('error', () => socket.destroy())
    onUpgrade(request, socket, head)
  })
}

/**
 * Connections that may wait for accept (the system caps it): Node's 511 lose packets when a thousand connect together.
 */
const BACKLOG = 4096

/** Resolves with the port. */
export function listen(server: Server, { name, host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message
      reject(new Error(`cannot listen on ${host}:${port} (${name}): ${reason}`, { cause }))
    })
    // A TCP server that listens has an AddressInfo, never a pipe name.
    server.listen({ port, host, backlog: BACKLOG }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Rejects when the port is in use now: an error before a long warm-up is better than one after it. */
export async function checkPort(address: Address): Promise<void> {
  if (address.port === 0) return
  const server = createServer().on('connection', (socket) => socket.destroy())
  await listen(server, address)
  await new Promise((done) => server.close(done))
}
