// Sends a request to a replica and its answer back, through http-proxy-middleware. This file decides which replica, how
// long to wait and when to try again; headers and bodies are its neighbours' work.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Log } from '../../shared/node/log.ts'
import type { Replica } from '../../shared/node/replicas.ts'
import { removeFrom } from '../../shared/node/unordered.ts'
import { HEADERS } from '../../shared/wire/constants.ts'
import type { AnswerHeaders } from '../answer-headers.ts'
import { exchangeOf } from '../exchange.ts'
import type { ReplicasByService } from '../replicas-by-service.ts'
import type { Route, ServiceName } from '../routes.ts'
import type { ErrorSender } from '../send-error.ts'
import { BODY_CEILING_BYTES, createByteCeiling } from './byte-ceiling.ts'
import type { ForwardedFacts } from './forwarded.ts'
import { type Carrier, keyOf, leave, leaveReplica, PASSAGE, type Passage } from './passage.ts'
import { CONNECT_TIMEOUT, codedError, failureOf, UPSTREAM_ERRORS } from './proxy-errors.ts'
import { type PassageEvents, sendToReplica, upgradeToReplica } from './proxy-server.ts'
import { framingForUpstream, writeFraming } from './request-framing.ts'
import { upgradeHeaders, upstreamHeaders } from './request-headers.ts'
import { createAnswerPasser } from './send-upstream-answer.ts'
import { fitsRequest, whenWhole } from './whole-body.ts'

/** A connection on the inner network is made in a millisecond; a first packet that was lost is sent again after 1 s. */
const CONNECT_TIMEOUT_MS = 3000
/** Late requests are looked for this often. */
const SWEEP_MS = 100
/** Requests that may run at one replica at once; more would only wait and hold memory. */
const IN_FLIGHT_LIMIT = 4096

export interface ProxyDeps {
  replicas: ReplicasByService
  forwarded: (request: IncomingMessage) => ForwardedFacts
  answerHeaders: AnswerHeaders
  errors: ErrorSender
  log: Log
  /** Largest request body in bytes. */
  bodyCeilingBytes?: number
  connectTimeoutMs?: number
  /** How long a visitor may take nothing of an answer. */
  stalledMs?: number
  /** Aborts when the gateway is about to stop. */
  draining?: AbortSignal
  onRetry?: (service: ServiceName) => void
}

export interface ServiceProxy {
  /** Answers the request from the service of its route. */
  pass(request: IncomingMessage, response: ServerResponse, route: Route): void
  /** Passes an upgraded connection through. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, service: ServiceName): void
}

/** Makes the proxy of all services. */
export function createProxy(deps: ProxyDeps): ServiceProxy {
  const { errors, log } = deps
  const { bodyCeilingBytes: ceilingBytes = BODY_CEILING_BYTES, connectTimeoutMs = CONNECT_TIMEOUT_MS } = deps
  const passAnswer = createAnswerPasser(deps.answerHeaders, deps)
  const waiting: Passage[] = []
  let sweep: NodeJS.Timeout | undefined

  const events: PassageEvents = { onUpstreamRequest, onUpstreamAnswer, onUpstreamEnd, onError }

  function pass(request: IncomingMessage, response: ServerResponse, route: Route) {
    const exchange = exchangeOf(request)
    const replicas = deps.replicas.of(route.by as ServiceName)
    const framing = framingForUpstream(request)
    const withBody = framing.kind !== 'none'
    const declared = framing.kind === 'length' ? framing.bytes : 0
    if (declared > ceilingBytes) return refuseBody(request, response, declared)
    const passage: Passage = {
      exchange,
      request,
      response,
      route,
      replicas,
      hasBody: withBody,
      framing,
      body: undefined,
      build: exchange.pageData?.buildId,
      isRepeatable: request.method === 'GET' || request.method === 'HEAD',
      replica: undefined,
      upstreamRequest: undefined,
      isSettled: false,
      deadline: undefined,
      connectTimer: undefined,
      onOut: () => leaveReplica(passage),
      events,
    }
    ;(request as Carrier)[PASSAGE] = passage
    if (framing.kind === 'chunked') addCeiling(passage)
    request.headers = upstreamHeaders(request, exchange, deps.forwarded(request))
    exchange.atEnd = onAnswerClosed
    if (fitsRequest(request, declared)) whenWhole(request, () => begin(passage))
    else begin(passage)
  }

  function begin(passage: Passage) {
    startWaiting(passage)
    sendTo(passage, passage.replicas.choose({ key: keyOf(passage), build: passage.build }))
  }

  function sendTo(passage: Passage, replica: Replica | undefined) {
    if (!replica) return answer(passage, 'overloaded')
    if (replica.inFlight >= IN_FLIGHT_LIMIT) return answer(passage, 'overloaded')
    passage.replica = replica
    passage.exchange.replica = replica
    passage.exchange.attempts++
    passage.replicas.begin(replica, passage.isRepeatable ? passage.onOut : undefined)
    // An event of a connection may have led here, outside of the request's trace.
    const { span } = passage.exchange
    if (span) span.within(() => sendToReplica(passage, replica))
    else sendToReplica(passage, replica)
  }

  function onUpstreamRequest(upstreamRequest: ClientRequest, passage: Passage) {
    passage.upstreamRequest = upstreamRequest
    writeFraming(upstreamRequest, passage.framing)
    const { socket } = upstreamRequest
    if (!socket?.connecting) return
    const giveUp = () => {
      if (socket.connecting) upstreamRequest.destroy(codedError(CONNECT_TIMEOUT, 'the connection was not made in time'))
    }
    // Timers run before the sockets' next turn: a busy process may not have heard yet of a connection that stands.
    passage.connectTimer = setTimeout(() => setImmediate(giveUp), connectTimeoutMs)
    socket.once('connect', () => clearTimeout(passage.connectTimer))
  }

  function onUpstreamAnswer(upstream: IncomingMessage, passage: Passage) {
    if (!passage.replica || passage.isSettled) return
    passage.replicas.succeeded(passage.replica)
    if (passage.build !== undefined && goElsewhere(passage, passage.replica, passage.build, upstream)) return
    settle(passage)
    passage.exchange.upstreamMs = performance.now() - passage.exchange.startedAt
    passAnswer(passage.exchange, passage.request, passage.response, upstream)
  }

  function onUpstreamEnd(passage: Passage) {
    // Not settled: the answer that ended was put aside, and another replica has been asked.
    if (passage.isSettled) leave(passage)
  }

  /** Page data of a build that this replica does not serve is asked of another one that may (G3). */
  function goElsewhere(passage: Passage, replica: Replica, build: string, upstream: IncomingMessage): boolean {
    const told = upstream.headers[HEADERS.build]
    if (typeof told !== 'string') return false
    passage.replicas.noteBuild(replica, told)
    if (told === build || upstream.statusCode !== 404 || passage.exchange.attempts > 1) return false
    const other = passage.replicas.choose({ except: replica, build })
    if (!other || (other.build !== undefined && other.build !== build)) return false
    upstream.resume()
    leave(passage)
    sendTo(passage, other)
    return true
  }

  // Not made anew for each request: what such a function holds outlives the request, see removeFrom.
  function onAnswerClosed(request: IncomingMessage) {
    const passage = (request as Carrier)[PASSAGE]
    if (!passage) return
    settle(passage)
    leave(passage)
  }

  function onError(error: unknown, passage: Passage) {
    // After the first byte the library destroys the answer; there is nothing to decide.
    if (!passage.replica || passage.isSettled) return
    if (passage.response.destroyed || passage.exchange.socket.destroyed) return
    const { replica, replicas } = passage
    const failure = failureOf(error, passage.upstreamRequest?.reusedSocket === true)
    leave(passage)
    if (failure === 'refused' || failure === 'broken') replicas.failed(replica, failure)
    log.warn({ error, upstream: passage.route.by, replica: replica.name, failure }, 'upstream failed')
    if (!passage.isRepeatable || passage.exchange.attempts > 1) return answer(passage, 'refused')
    deps.onRetry?.(passage.route.by as ServiceName)
    // The same replica again only where the fault was a connection that had grown old.
    const other =
      replicas.choose({ except: replica, key: keyOf(passage), build: passage.build }) ??
      (failure === 'stale' ? replica : undefined)
    return other ? sendTo(passage, other) : answer(passage, 'refused')
  }

  /** Sends the gateway's own answer; what the upstream still does no longer matters. */
  function answer(passage: Passage, why: 'refused' | 'overloaded' | 'late') {
    settle(passage)
    const { code, headers } = UPSTREAM_ERRORS[why]
    const form = passage.hasBody && !passage.request.complete ? 'sendAndClose' : 'send'
    errors[form](passage.request, passage.response, code, { headers })
    passage.upstreamRequest?.destroy()
    // What nobody took of the body must not stand before the connection's next request.
    passage.request.resume()
  }

  /** From here on nothing is tried again and nobody waits. */
  function settle(passage: Passage) {
    passage.isSettled = true
    removeFrom(waiting, passage)
    clearTimeout(passage.connectTimer)
    if (passage.replica) passage.replicas.settle(passage.replica, passage.onOut)
  }

  /** The limit counts from the end of the request: a slow upload is not the upstream's delay. */
  function startWaiting(passage: Passage) {
    const start = () => {
      passage.deadline = performance.now() + passage.route.firstByteMs
    }
    if (passage.hasBody) passage.request.once('end', start)
    else start()
    waiting.push(passage)
    // One timer for all that wait, because one for each costs more than the precision is worth.
    sweep ??= setInterval(answerLate, SWEEP_MS)
  }

  function answerLate() {
    const now = performance.now()
    const late = waiting.filter(({ deadline }) => deadline !== undefined && deadline <= now)
    for (const passage of late) answer(passage, 'late')
    if (waiting.length > 0) return
    clearInterval(sweep)
    sweep = undefined
  }

  function addCeiling(passage: Passage) {
    const { request, response } = passage
    const body = createByteCeiling(ceilingBytes, (received) => {
      if (passage.isSettled) return void response.destroy()
      settle(passage)
      passage.upstreamRequest?.destroy()
      refuseBody(request, response, received)
    })
    // A visitor who leaves in the middle must not look like a whole body.
    request.on('error', (error) => body.destroy(error))
    body.on('error', () => passage.upstreamRequest?.destroy())
    Object.assign(passage, { body: request.pipe(body) })
  }

  function refuseBody(request: IncomingMessage, response: ServerResponse, received: number) {
    errors.sendAndClose(request, response, 'body-too-large', { details: { limit: ceilingBytes, received } })
  }

  return {
    pass,
    upgrade(request, socket, head, service) {
      const replicas = deps.replicas.of(service)
      const replica = replicas.choose()
      if (!replica) return void socket.destroy()
      request.headers = upgradeHeaders(request.headers)
      replicas.begin(replica)
      socket.once('close', () => replicas.end(replica))
      // node:http hands its own sockets to upgrade listeners.
      upgradeToReplica(request, socket as Socket, head, replica)
    },
  }
}
