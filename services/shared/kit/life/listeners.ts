// The listeners of a service: opens them, and knows their connections and running responses, which serve-drain.ts needs.

import type { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { handleExpectations } from '../http/expectations.ts'
import { removeFrom } from '../http/unordered.ts'
import { traceRequest } from '../observe/tracing.ts'
import { whenClosed } from '../when-closed.ts'
import type { LimitedServers, PublicClients } from './limited-servers.ts'
import { type Address, listen } from './listen.ts'
import { beginInTurns, listenInTurns } from './loop-turns.ts'
import { beginOffer } from './upgrade-offers.ts'

export interface Listener extends Address {
  /** True if another service needs the listener during the warm-up; every other listener opens after the warm-up. */
  opensBeforeWarmUp?: boolean
  handler: RequestListener
  /** Receives offers to upgrade. */
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Whether the handler carries out an offer: it then receives the offer as a request (upgrade-offers.ts). */
  takesOffer?: (request: IncomingMessage) => boolean
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
  /** More sockets that listen for the servers. */
  readonly doors: readonly NetServer[]
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

interface ListenersDeps {
  limited: LimitedServers
  /** Responses that end meanwhile close their connection. */
  isDraining: () => boolean
  /** Other processes listen on the same ports: one process accepts the connections of all. */
  sharesPorts?: boolean | undefined
}

export function createListeners({ limited, isDraining, sharesPorts }: ListenersDeps): Listeners {
  const ports: Record<string, number> = {}
  const servers: Server[] = []
  const doors: NetServer[] = []
  const connections = new Set<Socket>()
  const upgraded = new Set<Duplex>()
  /** Not a Set, see unordered.ts: it would keep responses and their requests long after their end. */
  const running: ServerResponse[] = []
  return {
    ports,
    servers,
    doors,
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
      const begin = beginInTurns((request, response) => traceRequest(request, response, handler))
      const offers = createOffers(listener, running)
      const server = limited.create({
        name,
        options: { keepAliveTimeout, requireHostHeader, shouldUpgradeCallback: (request) => offers.leaves(request) },
        clients,
        running,
        handler: (request, response) => {
          if (isDraining()) response.shouldKeepAlive = false
          running.push(response)
          whenClosed(response, () => removeFrom(running, response))
          begin(request, response)
        },
      })
      handleExpectations(server)
      server.on('connection', (socket) => keepUntilClosed(connections, socket))
      offers.accept(server, upgraded)
      servers.push(server)
      ports[name] = await (sharesPorts ? listen(server, listener) : listenInTurns(server, listener, doors))
    },
    endListening() {
      // The method of node:http also closes idle connections, whose next request may be on its way.
      for (const server of [...servers, ...doors]) NetServer.prototype.close.call(server)
    },
  }
}

function keepUntilClosed<Item extends EventEmitter>(kept: Set<Item>, item: Item): void {
  kept.add(item)
  item.on('close', () => kept.delete(item))
}

/** Requests that offer to change the protocol; without a listener for them they are as all others. */
function createOffers({ onUpgrade, takesOffer }: Listener, running: readonly ServerResponse[]) {
  const taken = new WeakSet<IncomingMessage>()
  return {
    /** Whether node:http hands the connection over. */
    leaves(request: IncomingMessage): boolean {
      // A response that is still sent on the connection would be among the bytes of the other protocol.
      const isAlone = () => !running.some(({ req }) => req.socket === request.socket)
      if (takesOffer?.(request) && isAlone()) taken.add(request)
      return taken.has(request) || onUpgrade !== undefined
    },
    accept(server: Server, upgraded: Set<Duplex>): void {
      if (!onUpgrade && !takesOffer) return
      server.on('upgrade', (request, socket, head) => {
        keepUntilClosed(upgraded, socket)
        // Node removes its own listener when it hands a socket over: without a listener a reset would end the process.
        socket.on('error', () => socket.destroy())
        // node:http hands its own sockets over.
        if (taken.has(request)) server.emit('request', request, beginOffer(request, socket as Socket, head))
        else onUpgrade?.(request, socket, head)
      })
    },
  }
}
