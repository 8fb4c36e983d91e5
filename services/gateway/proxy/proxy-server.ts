// The proxy server of http-proxy-middleware as this gateway uses it. The middleware around the server copies its options,
// parses each path as an address to compare the path with a filter, and awaits five steps to find the target. The gateway
// knows the target and calls the server directly, which saves an eighth of a request's processor time.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Stream } from 'node:stream'
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware'
import type { Replica } from '../replicas/replicas.ts'
import { NO_BODY } from './bodies/ready-body.ts'
import type { Framing } from './headers/request-framing.ts'

/** A request that is proxied, with its handlers of the library's events. */
export interface Proxied {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly framing: Framing
  /** Replaces the request's own body. */
  readonly body: Stream | undefined
  onUpstreamRequest(upstreamRequest: ClientRequest): void
  onUpstreamResponse(upstreamResponse: IncomingMessage): void
  dispatch(event: { kind: 'response-ended' }): void
  onUpstreamError(error: unknown): void
}

export type ProxyServer = ReturnType<typeof createProxyServer>
type LibraryServer = Parameters<Plugin>[0]

/** `proxiedOf` finds the Proxied of a request: the library's events pass only the request. */
export function createProxyServer(proxiedOf: (request: IncomingMessage) => Proxied | undefined) {
  const server = createLibraryServer()
  server.on('proxyReq', (upstreamRequest, request) => proxiedOf(request)?.onUpstreamRequest(upstreamRequest))
  server.on('proxyRes', (upstreamResponse, request) => proxiedOf(request)?.onUpstreamResponse(upstreamResponse))
  server.on('end', (request) => proxiedOf(request)?.dispatch({ kind: 'response-ended' }))
  server.on('error', (error, request, response) => {
    if (response instanceof Socket) response.destroy()
    else if (request) proxiedOf(request)?.onUpstreamError(error)
  })
  // node:http keeps upgraded connections half open: the end of the client's connection must end the upstream's.
  server.on('proxyReqWs', (upstreamRequest, _request, socket) => {
    upstreamRequest.on('upgrade', (_response, upstreamSocket) => socket.on('close', () => upstreamSocket.destroy()))
    socket.on('end', () => socket.end())
  })
  return {
    /** Sends a request to a replica. */
    send(proxied: Proxied, { agent, address, port, isSecure }: Replica) {
      const { request, response, framing, body } = proxied
      const buffer = framing.kind === 'none' ? NO_BODY : body
      const target = { protocol: isSecure ? 'https:' : 'http:', hostname: address, port }
      server
        .web(request, response, { target, agent, selfHandleResponse: true, ...(buffer && { buffer }) })
        .catch((error: unknown) => proxied.onUpstreamError(error))
    },
    /** Passes an upgraded connection on to a replica. An error ends the connection. */
    upgrade(request: IncomingMessage, socket: Socket, head: Buffer, { agent, address, port }: Replica) {
      server
        .ws(request, socket, { target: { protocol: 'http:', hostname: address, port }, agent }, head)
        .catch(() => socket.destroy())
    },
  }
}

function createLibraryServer(): LibraryServer {
  let server: LibraryServer | undefined
  createProxyMiddleware({
    // The library requires a target at its start; every request has its own target.
    target: 'http://upstream.invalid',
    // The library's own plugins log every request twice, respond to errors with host and path, and end broken responses.
    ejectPlugins: true,
    plugins: [
      (created) => {
        server = created
      },
    ],
  })
  if (!server) throw new Error('http-proxy-middleware created no proxy server')
  return server
}
