// The proxy server of http-proxy-middleware as this gateway uses it. The middleware around it copies its options, parses
// each path as an address to hold it against a filter, and awaits five steps to learn the target: an eighth of a request's
// processor time for what is known here. So its server is asked itself. One serves every app of the process.

import type { ClientRequest, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware'
import type { Replica } from '../../shared/node/replicas.ts'
import { type Carrier, PASSAGE, type Passage } from './passage.ts'
import { NO_BODY } from './ready-body.ts'

/** What a request's proxy does at the library's events. */
export interface PassageEvents {
  onUpstreamRequest(upstreamRequest: ClientRequest, passage: Passage): void
  onUpstreamAnswer(upstream: IncomingMessage, passage: Passage): void
  /** All of the answer has come from the replica; the visitor may still be reading. */
  onUpstreamEnd(passage: Passage): void
  onError(error: unknown, passage: Passage): void
}

type ProxyServer = Parameters<Plugin>[0]

const server = createServer()

function createServer(): ProxyServer {
  let made: ProxyServer | undefined
  createProxyMiddleware({
    // The library asks for one at start; every request is given its own.
    target: 'http://upstream.invalid',
    // The library's own plugins log every request twice, answer errors with host and path, and end broken answers.
    ejectPlugins: true,
    plugins: [
      (given) => {
        made = given
        listen(given)
      },
    ],
  })
  if (!made) throw new Error('http-proxy-middleware made no proxy server')
  return made
}

/** Sends a request to a replica. What comes of it is told to the passage's events. */
export function sendToReplica(passage: Passage, { agent, address, port }: Replica): void {
  const { request, response, hasBody, body } = passage
  const buffer = hasBody ? body : NO_BODY
  const target = { protocol: 'http:', hostname: address, port }
  server
    .web(request, response, { target, agent, selfHandleResponse: true, ...(buffer && { buffer }) })
    .catch((error: unknown) => passage.events.onError(error, passage))
}

/** Passes an upgraded connection on to a replica. An error ends it. */
export function upgradeToReplica(request: IncomingMessage, socket: Socket, head: Buffer, replica: Replica): void {
  const { agent, address, port } = replica
  server
    .ws(request, socket, { target: { protocol: 'http:', hostname: address, port }, agent }, head)
    .catch(() => socket.destroy())
}

/** Ties the server's events to the passage of their request. */
function listen(to: ProxyServer): void {
  const passageOf = (request: IncomingMessage | undefined) => request && (request as Carrier)[PASSAGE]
  to.on('proxyReq', (upstreamRequest, request) => {
    const passage = passageOf(request)
    passage?.events.onUpstreamRequest(upstreamRequest, passage)
  })
  to.on('proxyRes', (upstream, request) => {
    const passage = passageOf(request)
    passage?.events.onUpstreamAnswer(upstream, passage)
  })
  to.on('end', (request) => {
    const passage = passageOf(request)
    passage?.events.onUpstreamEnd(passage)
  })
  to.on('error', (error, request, response) => {
    if (response instanceof Socket) return void response.destroy()
    const passage = passageOf(request)
    passage?.events.onError(error, passage)
  })
  // node:http leaves both sides of an upgraded connection half open: a visitor who is gone must end the upstream's.
  to.on('proxyReqWs', (upstreamRequest, _request, socket) => {
    upstreamRequest.on('upgrade', (_answer, upstreamSocket) => socket.on('close', () => upstreamSocket.destroy()))
    socket.on('end', () => socket.end())
  })
}
