// One request on its way through a service: reports events to attempt-machine.ts, which decides, and performs its effects.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Stream } from 'node:stream'
import type { Log } from '../../shared/node/log.ts'
import { HEADERS } from '../../shared/wire/constants.ts'
import { type Exchange, exchangeOf } from '../exchange.ts'
import { closeIdleConnections } from '../replicas/agent.ts'
import type { Replica, Replicas } from '../replicas/replicas.ts'
import type { Route, ServiceName } from '../routes.ts'
import type { ErrorSender } from '../send-error.ts'
import { type AttemptEffect, type AttemptEvent, newAttempt, reduceAttempt } from './attempt-machine.ts'
import type { RoomTaker } from './body-room.ts'
import type { Deadlines, Timed } from './deadlines.ts'
import type { FirstReady } from './first-ready.ts'
import {
  CONNECT_TIMEOUT,
  codedError,
  type Failure,
  failureOf,
  REPLICA_OUT,
  type Stop,
  sendStop,
} from './proxy-errors.ts'
import type { Proxied, ProxyServer } from './proxy-server.ts'
import type { BodySender, RequestBodies } from './request-bodies.ts'
import { type Framing, writeFraming } from './request-framing.ts'
import type { UpstreamResponseSender } from './send-upstream-response.ts'

/** Requests that may run at one replica at once; more would only wait and hold memory. */
export const IN_FLIGHT_LIMIT = 4096

/** What all attempts of a proxy share. */
export interface AttemptDeps {
  server: ProxyServer
  bodies: RequestBodies<ProxyAttempt>
  deadlines: Deadlines<ProxyAttempt>
  firstReady: FirstReady<ProxyAttempt>
  sendUpstreamResponse: UpstreamResponseSender
  errors: ErrorSender
  log: Log
  isDraining: () => boolean
  onRetry: (service: ServiceName) => void
  noteRefusal: (reason: NonNullable<Stop['refusal']>) => void
  connectTimeoutMs: number
}

export interface AttemptRequest {
  request: IncomingMessage
  response: ServerResponse
  route: Route
  replicas: Replicas
  framing: Framing
  /** As of network-of.ts; of requests with a body. */
  network: string
}

const ATTEMPT = Symbol('attempt')
/** A request as the library's events and the exchange hand it back. */
type Carrier = IncomingMessage & { [ATTEMPT]?: ProxyAttempt }

/** Requests without a body never hold room. */
const NO_ROOM: RoomTaker['places'] = []

const READY: AttemptEvent = { kind: 'ready' }
const NONE_USABLE: AttemptEvent = { kind: 'none-usable' }
const EJECTED: AttemptEvent = { kind: 'ejected' }
const CONNECTED: AttemptEvent = { kind: 'connected' }
const RESPONSE_ENDED: AttemptEvent = { kind: 'response-ended' }
const CLOSED: AttemptEvent = { kind: 'closed' }

export class ProxyAttempt implements Proxied, BodySender, Timed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly replicas: Replicas
  readonly framing: Framing
  readonly network: string
  readonly places: RoomTaker['places']
  body: Stream | undefined
  deadlineAt: number | undefined
  readonly #deps: AttemptDeps
  readonly #exchange: Exchange
  readonly #route: Route
  /** What sends a request to the same replica as others like it. */
  readonly #key: string | undefined
  readonly #onEjected: (() => void) | undefined
  #state: ReturnType<typeof newAttempt>
  #upstreamRequest: ClientRequest | undefined
  #upstreamResponse: IncomingMessage | undefined
  #connectTimer: NodeJS.Timeout | undefined

  /** The attempt of a request, once there is one. */
  static of(request: IncomingMessage): ProxyAttempt | undefined {
    return (request as Carrier)[ATTEMPT]
  }

  constructor(deps: AttemptDeps, { request, response, route, replicas, framing, network }: AttemptRequest) {
    this.#deps = deps
    this.request = request
    this.response = response
    this.replicas = replicas
    this.framing = framing
    this.network = network
    this.places = this.#hasBody ? [] : NO_ROOM
    this.#exchange = exchangeOf(request)
    this.#route = route
    this.#key = route.affinity?.(this.#exchange)
    const isRepeatable = !this.#hasBody && (request.method === 'GET' || request.method === 'HEAD')
    this.#state = newAttempt(isRepeatable, route.build?.(this.#exchange))
    this.#onEjected = isRepeatable ? () => this.#dispatch(EJECTED) : undefined
    ;(request as Carrier)[ATTEMPT] = this
    this.#exchange.atEnd = onClosed
  }

  get #hasBody(): boolean {
    return this.framing.kind !== 'none'
  }

  start(): void {
    // A body that arrives with its head is complete once the parser has returned.
    if (this.#hasBody) setImmediate(this.#deps.bodies.receive, this)
    else this.#dispatch(READY)
  }

  stop(stop: Stop): void {
    this.#dispatch({ kind: 'stopped', stop })
  }

  close(): void {
    this.#dispatch(CLOSED)
  }

  /** Of a request that waits: all of them together must not be more than the replica takes. */
  sendIfReady(): boolean {
    const replica = this.#choose(undefined)
    if (!replica || replica.inFlight >= IN_FLIGHT_LIMIT) return false
    this.#admit(replica)
    return true
  }

  onBodyReady(): void {
    this.#dispatch(READY)
  }

  onBodyRefused(refusal: 'bodies-full' | 'body-displaced'): void {
    this.stop({ why: 'overloaded', refusal })
  }

  onBodyTooLarge(receivedBytes: number, limitBytes: number): void {
    this.stop({ why: 'body-too-large', receivedBytes, limitBytes })
  }

  onBodyBroken(): void {
    this.#upstreamRequest?.destroy()
  }

  onUpstreamRequest(upstreamRequest: ClientRequest): void {
    this.#upstreamRequest = upstreamRequest
    writeFraming(upstreamRequest, this.framing)
    this.#dispatch({ kind: 'assigned', isConnecting: upstreamRequest.socket?.connecting === true })
  }

  onUpstreamResponse(upstreamResponse: IncomingMessage): void {
    this.#upstreamResponse = upstreamResponse
    // Read for page data alone: node:http builds all header objects at the first look.
    const reported = this.#state.build === undefined ? undefined : upstreamResponse.headers[HEADERS.build]
    const build = typeof reported === 'string' ? reported : undefined
    this.#dispatch({ kind: 'response', status: upstreamResponse.statusCode ?? 502, build })
  }

  onUpstreamEnd(): void {
    this.#dispatch(RESPONSE_ENDED)
  }

  onUpstreamError(error: unknown): void {
    // The client left: the error is the end of its own request, and no fault of the replica.
    if (this.response.destroyed || this.#exchange.socket.destroyed) return
    const failure = failureOf(error, this.#upstreamRequest?.reusedSocket === true)
    this.#dispatch({ kind: 'failed', failure, error })
  }

  #dispatch(event: AttemptEvent) {
    const { state, effects } = reduceAttempt(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: AttemptEffect) {
    switch (effect.kind) {
      case 'choose': {
        const replica = this.#choose(effect.except) ?? effect.fallback
        return replica ? this.#admit(replica) : this.#dispatch(NONE_USABLE)
      }
      case 'choose-build': {
        const replica = this.#choose(effect.except)
        const build = replica?.state.build ?? effect.build
        return replica && build === effect.build ? this.#admit(replica) : this.#dispatch(NONE_USABLE)
      }
      case 'await-ready-replica':
        return this.#awaitReadyReplica()
      case 'send':
        return this.#send(effect.replica, effect.attempt, effect.isRetry)
      case 'limit-connecting':
        return this.#limitConnecting()
      case 'stop-connect-timer':
        return clearTimeout(this.#connectTimer)
      case 'report-success':
        return this.replicas.succeeded(effect.replica)
      case 'report-failure':
        return this.#reportFailure(effect.replica, effect.failure, effect.error)
      case 'note-build':
        return this.replicas.noteBuild(effect.replica, effect.build)
      case 'leave':
        clearTimeout(this.#connectTimer)
        return this.replicas.end(effect.replica, this.#onEjected)
      case 'abandon-replica':
        return void this.#upstreamRequest?.destroy(codedError(REPLICA_OUT, 'the replica was ejected'))
      case 'stop-timers':
        this.#deps.deadlines.remove(this)
        this.#deps.firstReady.leave(this)
        return clearTimeout(this.#connectTimer)
      case 'send-response':
        return this.#sendResponse()
      case 'discard-response':
        return void this.#upstreamResponse?.resume()
      case 'respond':
        return this.#respond(effect.stop)
      case 'break-off':
        this.#noteRefusal(effect.stop)
        return void this.response.destroy()
      case 'release-body':
        if (this.#hasBody) this.#deps.bodies.leave(this)
    }
  }

  #choose(except: Replica | undefined): Replica | undefined {
    return this.replicas.choose({ except, key: this.#key, build: this.#state.build })
  }

  #admit(replica: Replica) {
    if (replica.inFlight >= IN_FLIGHT_LIMIT) this.stop({ why: 'overloaded' })
    else if (!this.#deps.bodies.send(this, replica)) this.onBodyRefused('bodies-full')
    else this.#dispatch({ kind: 'chosen', replica })
  }

  #awaitReadyReplica() {
    const { isDraining, bodies, firstReady } = this.#deps
    if (isDraining()) this.stop({ why: 'overloaded' })
    else if (!bodies.wait(this)) this.onBodyRefused('bodies-full')
    else if (!firstReady.wait(this)) this.stop({ why: 'overloaded', refusal: 'ready-queue-full' })
  }

  #send(replica: Replica, attempt: number, isRetry: boolean) {
    const { server, onRetry } = this.#deps
    // Only a route to a service is proxied.
    if (isRetry) onRetry(this.#route.by as ServiceName)
    this.#exchange.replica = replica
    this.#exchange.attempts = attempt
    if (attempt === 1) this.#startDeadline()
    this.replicas.begin(replica, this.#onEjected)
    // An event of a connection may have led here, outside of the request's trace.
    const { span } = this.#exchange
    if (span) span.within(() => server.send(this, replica))
    else server.send(this, replica)
  }

  #startDeadline() {
    const begin = () => {
      this.deadlineAt = performance.now() + this.#route.firstByteMs
    }
    // The limit counts from the end of the request: a slow upload is not the upstream's delay.
    if (this.request.complete || !this.#hasBody) begin()
    else this.request.once('end', begin)
    this.#deps.deadlines.add(this)
  }

  #limitConnecting() {
    const upstreamRequest = this.#upstreamRequest
    const socket = upstreamRequest?.socket
    const giveUp = () => {
      if (socket?.connecting)
        upstreamRequest?.destroy(codedError(CONNECT_TIMEOUT, 'the connection was not made in time'))
    }
    // Timers run before the sockets' turn: a busy process may not have noticed yet that the connection is made.
    this.#connectTimer = setTimeout(() => setImmediate(giveUp), this.#deps.connectTimeoutMs)
    socket?.once('connect', () => this.#dispatch(CONNECTED))
  }

  #reportFailure(replica: Replica, failure: Failure, error: unknown) {
    if (failure === 'refused' || failure === 'broken') this.replicas.failed(replica, failure)
    if (failure === 'stale') closeIdleConnections(replica.agent)
    const { log } = this.#deps
    log.warn({ error, upstream: this.#route.by, replica: replica.name, failure }, 'upstream failed')
  }

  #sendResponse() {
    const upstream = this.#upstreamResponse
    if (!upstream) return
    this.#exchange.upstreamMs = performance.now() - this.#exchange.startedAt
    this.#deps.sendUpstreamResponse(this.#exchange, this.request, this.response, upstream)
  }

  /** What the upstream still does no longer matters. */
  #respond(stop: Stop) {
    const { request, response } = this
    this.#noteRefusal(stop)
    sendStop(this.#deps.errors, stop, { request, response, isBodyUnread: this.#hasBody && !request.complete })
    this.#upstreamRequest?.destroy()
    // The rest of the body must not be in the way of the connection's next request.
    request.resume()
  }

  #noteRefusal({ refusal }: Stop) {
    if (refusal === undefined) return
    this.#deps.noteRefusal(refusal)
    this.#exchange.refusal = refusal
  }
}

/** One function for all requests: what a function of each request refers to outlives the request, see unordered.ts. */
function onClosed(request: IncomingMessage): void {
  ProxyAttempt.of(request)?.close()
}
