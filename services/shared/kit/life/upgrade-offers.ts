// Requests that offer to change the protocol of their connection, where a handler may accept the offer: such a request takes
// the way of all requests, with a response on the connection that node:http has left.

import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface UpgradeOffer {
  /** Without a parser: what the client sends next is for the other protocol. */
  readonly socket: Socket
  /** What has arrived of it. */
  readonly head: Buffer
}

const OFFER = Symbol('offer')
type Offering = IncomingMessage & { [OFFER]?: UpgradeOffer }

/** The offer of a request; undefined for one that is read as any other. */
export function offerOf(request: IncomingMessage): UpgradeOffer | undefined {
  return (request as Offering)[OFFER]
}

/** Makes the response to an offer, which is the last one of the connection. */
export function beginOffer(request: IncomingMessage, socket: Socket, head: Buffer): ServerResponse {
  ;(request as Offering)[OFFER] = { socket, head }
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  // node:http does both for the responses of its parser.
  socket.on('drain', () => response.emit('drain'))
  response.on('finish', () => {
    response.detachSocket(socket)
    response.destroyed = true
    response.emit('close')
    socket.destroySoon()
  })
  return response
}
