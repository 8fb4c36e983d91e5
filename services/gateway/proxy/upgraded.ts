// WebSockets of rewrites to another host (X4): the offer is sent with the headers of any other request there, and the gateway
// joins both connections when the host accepts. Nothing else of the host's head than the protocol's own fields is passed on.

import { type ClientRequest, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { codedError } from '@portico/shared/kit/inner/faults.ts'
import { createRunningRequests } from '@portico/shared/kit/life/running-requests.ts'
import type { UpgradeOffer } from '@portico/shared/kit/life/upgrade-offers.ts'
import { whenClosed } from '@portico/shared/kit/when-closed.ts'
import { CONNECT_TIMEOUT_MS, RESPONSE_STALLED_MS } from '@portico/shared/wire/constants.ts'
import { exchangeOf } from '../exchange/exchange.ts'
import { externalHeaders, type ForwardedFacts, isDoubtful, isKeptFromClient, readFraming } from '../headers/headers.ts'
import { type ExternalHost, IN_FLIGHT_LIMIT } from '../replicas/replicas.ts'
import type { Route } from '../routes.ts'
import type { UpstreamResponseSender } from '../send/send.ts'
import { limitSilence } from './deadlines.ts'
import type { Stop } from './proxy-errors.ts'

interface UpgradedDeps {
  loopToken: string
  sendUpstreamResponse: UpstreamResponseSender
  /** Upgraded connections of one host, of this process. */
  inFlightLimit?: number | undefined
}

interface OutgoingOffer {
  request: IncomingMessage
  response: ServerResponse
  offer: UpgradeOffer
  external: ExternalHost
  route: Route
  forwarded: ForwardedFacts
  /** Responds for the gateway. */
  stop: (stop: Stop) => void
}

/** Both ends are asked as often whether they are there: a connection may be silent for hours. */
const KEEP_ALIVE_MS = 60_000
/** The fields of RFC 6455 section 11.3 in a response. */
const ACCEPTED = /^sec-websocket-(accept|protocol|extensions)$/

/**
 * Whether a request offers a WebSocket and nothing that two programs could read differently. SECURITY: no other protocol,
 * as requests of HTTP/2 in clear text would bypass the checks of the gateway (h2c smuggling); an offer has no body, because
 * another program than the requested one would read the bytes behind the head.
 */
export function offersWebSocket(request: IncomingMessage): boolean {
  const { method, httpVersion, headers } = request
  const isWebSocket = method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket'
  return isWebSocket && !isDoubtful(request) && readFraming(request)?.kind === 'none'
}

/** Creates the sender of offers. */
export function createOfferSender(deps: UpgradedDeps) {
  const { loopToken, sendUpstreamResponse } = deps
  // Not the slots of requests: an upgraded connection keeps its own for hours.
  const beginOf = createRunningRequests(deps.inFlightLimit ?? IN_FLIGHT_LIMIT)

  return function sendOffer(outgoing: OutgoingOffer) {
    const { request, response, offer, external, route, forwarded, stop } = outgoing
    const end = beginOf(external.origin)
    if (!end) {
      stop({ why: 'overloaded' })
      return
    }
    const exchange = exchangeOf(request)
    exchange.notes.attempts = 1
    exchange.notes.replica = external.replica
    const sentAt = performance.now()
    const sent = openRequest(request, external, {
      ...externalHeaders(request, external, forwarded, loopToken),
      // Framing is the last (G8): an offer has no body.
      connection: 'Upgrade',
      upgrade: 'websocket',
    })
    let isLate = false
    const endLate = (why: string) => {
      isLate = true
      sent.destroy(codedError('ESILENT', why))
    }
    const firstByte = setTimeout(() => endLate('the other host did not respond in time'), route.firstByteMs)
    const connecting = setTimeout(
      () => sent.destroy(codedError('ETIMEDOUT', 'no connection in time')),
      CONNECT_TIMEOUT_MS,
    )
    sent.on('socket', (socket: Socket) =>
      socket.once(external.replica.isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting)),
    )
    const settle = () => {
      clearTimeout(firstByte)
      clearTimeout(connecting)
      exchange.notes.upstreamMs = performance.now() - sentAt
    }
    whenClosed(response, () => {
      settle()
      end()
      sent.destroy()
    })
    sent.once('response', (upstream) => {
      settle()
      // node:http reads any three digits, and writes none below 100.
      if ((upstream.statusCode ?? 0) < 200)
        return void sent.destroy(codedError('EPROTO', `status ${upstream.statusCode}`))
      limitSilence(sent)
      upstream.on('error', () => response.destroy())
      sendUpstreamResponse(exchange, request, response, upstream)
    })
    sent.once('upgrade', (upstream, socket, head) => {
      settle()
      if (upstream.headers.upgrade?.toLowerCase() !== 'websocket' || response.destroyed) {
        socket.destroy()
        return stop({ why: 'refused' })
      }
      response.writeHead(101, acceptedHeaders(upstream, external))
      response.flushHeaders()
      join(offer, { socket, head })
    })
    sent.once('error', () => {
      settle()
      if (response.headersSent) return void response.destroy()
      if (!response.destroyed) stop({ why: isLate ? 'late' : 'refused' })
    })
    sent.end()
  }
}

/** A connection of its own: a kept one may end as the offer is sent, and an upgraded one is kept for nothing else. */
function openRequest(
  { url = '/' }: IncomingMessage,
  { replica: { address, port, isSecure }, lookup }: ExternalHost,
  headers: ReturnType<typeof externalHeaders>,
): ClientRequest {
  const open = isSecure ? requestHttps : requestHttp
  return open({
    agent: false,
    host: address,
    port,
    path: url,
    method: 'GET',
    headers,
    lookup,
    setDefaultHeaders: false,
  })
}

/** SECURITY: names are those of the protocol alone; cookies are those that the config names. */
function acceptedHeaders({ rawHeaders }: IncomingMessage, { passes }: ExternalHost): string[] {
  const headers = ['connection', 'Upgrade', 'upgrade', 'websocket']
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!]
    if (ACCEPTED.test(name) || (name === 'set-cookie' && !isKeptFromClient(name, value, passes)))
      headers.push(name, value)
  }
  return headers
}

/** Passes bytes in both directions until one end closes. */
function join(client: UpgradeOffer, host: { socket: Socket; head: Buffer }): void {
  for (const { socket } of [client, host]) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.on('error', () => socket.destroy())
    // Neither end of a WebSocket has more to send when the other one has closed.
    socket.on('end', () => socket.end())
  }
  // Silence has no limit, but a host that reads nothing has one, as clients have at every listener.
  host.socket.setTimeout(RESPONSE_STALLED_MS, () => {
    if (host.socket.writableLength > 0) host.socket.destroy()
  })
  if (host.head.length > 0) client.socket.write(host.head)
  if (client.head.length > 0) host.socket.write(client.head)
  client.socket.pipe(host.socket)
  host.socket.pipe(client.socket)
  client.socket.on('close', () => host.socket.destroySoon())
  host.socket.on('close', () => client.socket.destroySoon())
}
