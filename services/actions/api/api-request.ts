// The request of an API handler: Node's request with `query`, `cookies` and `body` of the Pages Router.

import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'
import type { Cookies, RequestFacts } from '../request/request-facts.ts'

export type ApiRequest = IncomingMessage & { query: RouteParams; cookies: Cookies; body: unknown }

interface ApiRequestParts extends Pick<RequestFacts, 'search' | 'cookies' | 'address' | 'isSecure'> {
  params: RouteParams
  body: unknown
}

/** Adds the three members, and the client's end to `socket`. Dynamic params win over query parameters of the same name. */
export function createApiRequest(request: IncomingMessage, parts: ApiRequestParts): ApiRequest {
  const query = Object.assign(parseQuery(parts.search), parts.params)
  const members = { query, cookies: parts.cookies, body: parts.body, socket: clientSocket(request.socket, parts) }
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(request, name, { value, writable: true, configurable: true, enumerable: true })
  // The loop above has defined the members.
  return request as ApiRequest
}

/**
 * The socket leads to the gateway, and carries requests of many clients: address and encryption are those of this
 * request's client, whose port is not known here.
 */
function clientSocket(socket: Socket, { address, isSecure }: Pick<RequestFacts, 'address' | 'isSecure'>): Socket {
  const client = new Map<string | symbol, unknown>([
    ['remoteAddress', address],
    ['remoteFamily', isIPv6(address) ? 'IPv6' : 'IPv4'],
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
