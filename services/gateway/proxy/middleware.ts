// http-proxy-middleware as this gateway uses it. One instance serves every app of the process: the library leaves a
// listener at the http server for each that is made, and under development each changed manifest makes a new app.

import type { ClientRequest, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware'
import { NO_BODY } from './no-body.ts'
import { type Carrier, PASSAGE, type Passage } from './passage.ts'

/** What a request's proxy does at the library's events. */
export interface PassageEvents {
  onUpstreamRequest(upstreamRequest: ClientRequest, passage: Passage): void
  onUpstreamAnswer(upstream: IncomingMessage, passage: Passage): void
  /** All of the answer has come from the replica; the visitor may still be reading. */
  onUpstreamEnd(passage: Passage): void
  onError(error: unknown, passage: Passage): void
}

/** Sends a request to the replica of its passage, or an upgraded connection to `upgradeTo`. */
export const middleware = createProxyMiddleware({
  // Every request is given its own target; the library asks for one at start.
  target: 'http://upstream.invalid',
  router(request, _response, options) {
    const { [PASSAGE]: passage, upgradeTo } = request as Carrier
    const replica = passage?.replica ?? upgradeTo
    if (!replica) throw new Error('a request reached the proxy without a replica')
    options.agent = replica.agent
    if (passage && !passage.hasBody) options.buffer = NO_BODY
    else if (passage?.body) options.buffer = passage.body
    return { protocol: 'http:', hostname: replica.address, port: replica.port }
  },
  // The library's own plugins log every request twice, answer errors with host and path, and end broken answers.
  ejectPlugins: true,
  selfHandleResponse: true,
  plugins: [eventsOfPassages],
})

/** Ties the library's events to the passage of their request. */
function eventsOfPassages(server: Parameters<Plugin>[0]): void {
  const passageOf = (request: IncomingMessage | undefined) => request && (request as Carrier)[PASSAGE]
  server.on('proxyReq', (upstreamRequest, request) => {
    const passage = passageOf(request)
    passage?.events.onUpstreamRequest(upstreamRequest, passage)
  })
  server.on('proxyRes', (upstream, request) => {
    const passage = passageOf(request)
    passage?.events.onUpstreamAnswer(upstream, passage)
  })
  server.on('end', (request) => {
    const passage = passageOf(request)
    passage?.events.onUpstreamEnd(passage)
  })
  server.on('error', (error, request, response) => {
    if (response instanceof Socket) return void response.destroy()
    const passage = passageOf(request)
    passage?.events.onError(error, passage)
  })
  // node:http leaves both sides of an upgraded connection half open: a visitor who is gone must end the upstream's.
  server.on('proxyReqWs', (upstreamRequest, _request, socket) => {
    upstreamRequest.on('upgrade', (_answer, upstreamSocket) => socket.on('close', () => upstreamSocket.destroy()))
    socket.on('end', () => socket.end())
  })
}
