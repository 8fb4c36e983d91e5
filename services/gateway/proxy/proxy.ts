// Sends a request to a replica and its answer back, through http-proxy-middleware. This file decides which replica, how
// long to wait and when to try again; headers, bodies and their limits are its neighbours' work.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ArrivalFault } from '../../shared/node/body-arrival.ts'
import type { Log } from '../../shared/node/log.ts'
import { networkOf } from '../../shared/node/network-of.ts'
import type { RefusalReason } from '../../shared/node/refusals.ts'
import { closeIdleConnections } from '../../shared/node/replica-agent.ts'
import type { Replica } from '../../shared/node/replicas.ts'
import { ARRIVING_BODIES_SHARE, HEADERS, WAITING_BODIES_BYTES } from '../../shared/wire/constants.ts'
import type { AnswerHeaders } from '../answer-headers.ts'
import { exchangeOf } from '../exchange.ts'
import type { ReplicasByService } from '../replicas-by-service.ts'
import type { Route, ServiceName } from '../routes.ts'
import type { ErrorSender } from '../send-error.ts'
import { BODY_CEILING_BYTES } from './byte-ceiling.ts'
import { createDeadlines } from './deadlines.ts'
import { createFirstReady } from './first-ready.ts'
import type { ForwardedFacts } from './forwarded.ts'
import { type Carrier, keyOf, leave, leaveReplica, PASSAGE, type Passage } from './passage.ts'
import { CONNECT_TIMEOUT, codedError, failureOf, UPSTREAM_ERRORS } from './proxy-errors.ts'
import { type PassageEvents, sendToReplica, upgradeToReplica } from './proxy-server.ts'
import { createRequestBodies } from './request-bodies.ts'
import { framingForUpstream, writeFraming } from './request-framing.ts'
import { upgradeHeaders, upstreamHeaders } from './request-headers.ts'
import { createAnswerPasser } from './send-upstream-answer.ts'

/** A connection on the inner network is made in a millisecond; a first packet that was lost is sent again after 1 s. */
const CONNECT_TIMEOUT_MS = 3000
/** Requests that may run at one replica at once; more would only wait and hold memory. */
const IN_FLIGHT_LIMIT = 4096
/** Of requests without a body: they never hold room. */
const NO_PLACES: never[] = []

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
  noteRefusal?: (reason: RefusalReason) => void
  /** Bodies that wait in the gateway, in bytes; requests whose body still arrives, at each replica. */
  waitingBodiesBytes?: number
  arrivingPerReplica?: number
  /** How long a request waits for a first ready replica, and how many do. */
  firstReadyMs?: number
  firstReadyWaiters?: number
}

export interface ServiceProxy {
  /** Answers the request from the service of its route. */
  pass(request: IncomingMessage, response: ServerResponse, route: Route): void
  /** Responds to a request whose body is given up. */
  refuseBody(request: IncomingMessage, response: ServerResponse, fault: ArrivalFault): void
  /** Passes an upgraded connection through. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, service: ServiceName): void
}

/** Makes the proxy of all services. */
export function createProxy(deps: ProxyDeps): ServiceProxy {
  const { errors, log, draining, noteRefusal = () => {} } = deps
  const { bodyCeilingBytes: ceilingBytes = BODY_CEILING_BYTES, connectTimeoutMs = CONNECT_TIMEOUT_MS } = deps
  const passAnswer = createAnswerPasser(deps.answerHeaders, deps)
  const deadlines = createDeadlines((passage) => answer(passage, 'late'))
  const bodies = createRequestBodies({
    waitingBytes: deps.waitingBodiesBytes ?? WAITING_BODIES_BYTES,
    arrivingPerReplica: deps.arrivingPerReplica ?? IN_FLIGHT_LIMIT * ARRIVING_BODIES_SHARE,
    ceilingBytes,
    begin,
    refuse,
    onTooLarge,
  })
  const firstReady = createFirstReady<Passage>({
    tryNow: sendIfReady,
    sourceOf: ({ replicas }) => replicas,
    onTimeout: (passage) => answer(passage, passage.replicas.areRefused() ? 'refused' : 'overloaded'),
    isDraining: () => draining?.aborted === true,
    ...(deps.firstReadyMs === undefined ? {} : { waitMs: deps.firstReadyMs }),
    ...(deps.firstReadyWaiters === undefined ? {} : { most: deps.firstReadyWaiters }),
  })

  const events: PassageEvents = { onUpstreamRequest, onUpstreamAnswer, onUpstreamEnd, onError }

  function pass(request: IncomingMessage, response: ServerResponse, route: Route) {
    const exchange = exchangeOf(request)
    const replicas = deps.replicas.of(route.by as ServiceName)
    const framing = framingForUpstream(request)
    const withBody = framing.kind !== 'none'
    if (framing.kind === 'length' && framing.bytes > ceilingBytes) return refuseLarge(request, response, framing.bytes)
    const forwarded = deps.forwarded(request)
    const passage: Passage = {
      exchange,
      request,
      response,
      route,
      replicas,
      hasBody: withBody,
      framing,
      body: undefined,
      network: withBody ? networkOf(forwarded.client) : '',
      places: withBody ? [] : NO_PLACES,
      build: exchange.pageData?.buildId,
      isRepeatable: !withBody && (request.method === 'GET' || request.method === 'HEAD'),
      replica: undefined,
      upstreamRequest: undefined,
      isSettled: false,
      deadline: undefined,
      connectTimer: undefined,
      onOut: () => leaveReplica(passage),
      events,
    }
    ;(request as Carrier)[PASSAGE] = passage
    request.headers = upstreamHeaders(request, exchange, forwarded)
    exchange.atEnd = onAnswerClosed
    // A body that arrives with its head is complete once the parser has returned.
    if (withBody) setImmediate(bodies.receive, passage)
    else begin(passage)
  }

  function begin(passage: Passage) {
    // The client may have left, or its body given up its place, while it arrived.
    if (passage.isSettled) return
    const replica = passage.replicas.choose({ key: keyOf(passage), build: passage.build })
    if (replica) sendTo(passage, replica)
    else awaitReady(passage)
  }

  function awaitReady(passage: Passage) {
    if (draining?.aborted) return answer(passage, 'overloaded')
    if (!bodies.wait(passage)) return refuse(passage, 'bodies-full')
    if (!firstReady.wait(passage)) refuse(passage, 'ready-queue-full')
  }

  /** For a request that waits: all at once must not be more than the replica takes. */
  function sendIfReady(passage: Passage): boolean {
    const replica = passage.replicas.choose({ key: keyOf(passage), build: passage.build })
    if (!replica || replica.inFlight >= IN_FLIGHT_LIMIT) return false
    if (passage.exchange.attempts > 0) deps.onRetry?.(passage.route.by as ServiceName)
    sendTo(passage, replica)
    return true
  }

  function sendTo(passage: Passage, replica: Replica) {
    if (replica.inFlight >= IN_FLIGHT_LIMIT) return answer(passage, 'overloaded')
    if (!bodies.send(passage, replica)) return refuse(passage, 'bodies-full')
    passage.replica = replica
    passage.exchange.replica = replica
    passage.exchange.attempts++
    if (passage.deadline === undefined) deadlines.start(passage)
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
    if (passage.hasBody) bodies.leave(passage)
    leave(passage)
  }

  function onError(error: unknown, passage: Passage) {
    // After the first byte the library destroys the answer; there is nothing to decide.
    if (!passage.replica || passage.isSettled) return
    const { replica, replicas, exchange } = passage
    if (passage.response.destroyed || exchange.socket.destroyed) return
    const failure = failureOf(error, passage.upstreamRequest?.reusedSocket === true)
    leave(passage)
    if (failure === 'refused' || failure === 'broken') replicas.failed(replica, failure)
    if (failure === 'stale') closeIdleConnections(replica.agent)
    log.warn({ error, upstream: passage.route.by, replica: replica.name, failure }, 'upstream failed')
    // A refused connection carried no request: after the second try, too, the request waits for a ready replica.
    if (!passage.isRepeatable || exchange.attempts > 2) return answer(passage, 'refused')
    // The same replica again only where a kept connection had ended; its second try makes a new one.
    const same = failure === 'stale' ? replica : undefined
    const other = replicas.choose({ except: replica, key: keyOf(passage), build: passage.build }) ?? same
    if (!other || exchange.attempts > 1) return failure === 'refused' ? awaitReady(passage) : answer(passage, 'refused')
    deps.onRetry?.(passage.route.by as ServiceName)
    return sendTo(passage, other)
  }

  /** Sends the gateway's own answer; what the upstream still does no longer matters. */
  function answer(passage: Passage, why: keyof typeof UPSTREAM_ERRORS) {
    settle(passage)
    const { code, headers } = UPSTREAM_ERRORS[why]
    const form = passage.hasBody && !passage.request.complete ? 'sendAndClose' : 'send'
    errors[form](passage.request, passage.response, code, { headers })
    passage.upstreamRequest?.destroy()
    // What nobody took of the body must not stand before the connection's next request.
    passage.request.resume()
  }

  /** The same where a limit is reached, by its name. A response that has begun breaks off. */
  function refuse(passage: Passage, reason: RefusalReason) {
    noteRefusal(reason)
    passage.exchange.refusal = reason
    if (passage.isSettled) passage.response.destroy()
    else answer(passage, 'overloaded')
  }

  /** From here on nothing is tried again and no timer runs. */
  function settle(passage: Passage) {
    passage.isSettled = true
    deadlines.end(passage)
    firstReady.leave(passage)
    clearTimeout(passage.connectTimer)
    if (passage.replica) passage.replicas.settle(passage.replica, passage.onOut)
  }

  /** A body without a declared length, above the ceiling. */
  function onTooLarge(passage: Passage, received: number) {
    if (passage.isSettled) return void passage.response.destroy()
    settle(passage)
    passage.upstreamRequest?.destroy()
    refuseLarge(passage.request, passage.response, received)
  }

  function refuseLarge(request: IncomingMessage, response: ServerResponse, received: number) {
    errors.sendAndClose(request, response, 'body-too-large', { details: { limit: ceilingBytes, received } })
  }

  return {
    pass,
    refuseBody(request, response, fault) {
      exchangeOf(request).refusal = fault
      const passage = (request as Carrier)[PASSAGE]
      const why = fault === 'body-unread' ? 'late' : 'body-late'
      if (passage?.isSettled) response.destroy()
      else if (passage) answer(passage, why)
      else errors.sendAndClose(request, response, UPSTREAM_ERRORS[why].code)
    },
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
