// http-proxy-middleware, which sends a request to the replica that was chosen for it. One middleware serves all replicas and
// hosts: the router names the target of each request, and its own options the agent and the body.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Stream } from 'node:stream'
import { createProxyMiddleware, proxyEventsPlugin } from 'http-proxy-middleware'
import type { Framing } from '../headers/headers.ts'
import type { Replica } from '../replicas/replicas.ts'
import { NO_BODY } from './bodies/bodies.ts'

/** A request that is proxied, with its handlers of the library's events. */
export interface Proxied {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly framing: Framing
  /** Replaces the request's own body. */
  readonly body: Stream | undefined
  /** The one that was chosen last. */
  readonly replica: Replica | undefined
  /** The request has a connection, and nothing of it was sent. */
  onUpstreamRequest(upstreamRequest: ClientRequest): void
  onUpstreamResponse(upstreamResponse: IncomingMessage): void
  dispatch(event: { kind: 'response-ended' }): void
  onUpstreamError(error: unknown): void
  /** The library cannot parse the path. */
  onUnreadable(): void
}

export type Hop = ReturnType<typeof createHop>

/** `proxiedOf` finds the Proxied of a request: the library's events pass only the request. */
export function createHop(proxiedOf: (request: IncomingMessage) => Proxied | undefined) {
  /** Replicas of upgraded connections. */
  const upgrades = new WeakMap<IncomingMessage, Replica>()
  const middleware = createProxyMiddleware({
    router(request, _response, options) {
      const proxied = proxiedOf(request)
      const replica = proxied?.replica ?? upgrades.get(request)
      if (!replica) throw new Error('no replica was chosen for the request')
      options.agent = replica.agent
      const body = proxied?.framing.kind === 'none' ? NO_BODY : proxied?.body
      if (body) options.buffer = body
      return { protocol: replica.isSecure ? 'https:' : 'http:', host: replica.address, port: replica.port }
    },
    selfHandleResponse: true,
    // The library's own plugins log every request twice, respond to errors with host and path, and end broken responses.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    on: {
      proxyReq: (upstreamRequest, request) => proxiedOf(request)?.onUpstreamRequest(upstreamRequest),
      proxyRes: (upstreamResponse, request) => proxiedOf(request)?.onUpstreamResponse(upstreamResponse),
      end: (request) => proxiedOf(request)?.dispatch({ kind: 'response-ended' }),
      error(error, request, response) {
        if (response instanceof Socket) response.destroy()
        else proxiedOf(request)?.onUpstreamError(error)
      },
      // node:http keeps upgraded connections half open: the end of the client's connection must end the upstream's.
      proxyReqWs(upstreamRequest, _request, socket) {
        upstreamRequest.on('upgrade', (_response, upstreamSocket) => socket.on('close', () => upstreamSocket.destroy()))
        socket.on('end', () => socket.end())
      },
    },
  })
  return {
    /** Sends a request to its replica; called again for the next replica. */
    send(proxied: Proxied) {
      void middleware(proxied.request, proxied.response, (error) => {
        // With an error the library has reported it already.
        if (error === undefined) proxied.onUnreadable()
      })
    },
    /** Passes an upgraded connection on to a replica. An error ends the connection. */
    upgrade(request: IncomingMessage, socket: Socket, head: Buffer, replica: Replica) {
      upgrades.set(request, replica)
      middleware.upgrade(request, socket, head)
    },
  }
}
