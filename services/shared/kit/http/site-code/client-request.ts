// A request as the site's code reads it: Node's own, with members of the framework, and the client's end of the socket.

import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'

/** What the gateway reports of the client. */
interface Client {
  address: string | undefined
  isSecure: boolean
}

/** Adds the members, which replace members of the same name. The request remains the stream of its body. */
export function asClientRequest<Members extends object>(
  request: IncomingMessage,
  members: Members,
  client: Client,
): IncomingMessage & Members {
  return withMembers(request, { ...members, socket: clientSocket(request.socket, client) })
}

/** Adds members to a stream. */
export function withMembers<Stream extends object, Members extends object>(
  stream: Stream,
  members: Members,
): Stream & Members {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(stream, name, { value, writable: true, configurable: true, enumerable: true })
  // The loop above has defined the members.
  return stream as Stream & Members
}

/**
 * The socket leads to the gateway, and carries requests of many clients: address and encryption are those of this
 * request's client, whose port is not known here.
 */
function clientSocket(socket: Socket, { address, isSecure }: Client): Socket {
  const client = new Map<string | symbol, unknown>([
    ['remoteAddress', address],
    ['remoteFamily', isIPv6(address ?? '') ? 'IPv6' : 'IPv4'],
    ['remotePort', undefined],
    ['encrypted', isSecure],
  ])
  return new Proxy(socket, {
    get(target, name) {
      if (client.has(name)) return client.get(name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
