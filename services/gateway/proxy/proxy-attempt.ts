// One request on its way through a service: reports events to attempt-machine.ts and performs the effects that follow.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Stream } from 'node:stream'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { codedError, faultOf, replicaOut } from '@portico/shared/kit/inner/faults.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { untraced } from '@portico/shared/kit/observe/tracing.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import type { Decided } from '@portico/shared/wire/passed-route.ts'
import { type Exchange, exchangeOf, type Passage } from '../exchange/exchange.ts'
import { type Framing, passRoute, writeFraming } from '../headers/headers.ts'
import type { OnEjected, Replica, ReplicaPool } from '../replicas/replicas.ts'
import type { Responder } from '../routes.ts'
import type { ErrorSender, UpstreamResponseSender } from '../send/send.ts'
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  newAttempt,
  reduceAttempt,
} from './attempt-machine.ts'
import type { BodySender, RequestBodies } from './bodies/bodies.ts'
import type { RoomHolder } from './bodies/body-room.ts'
import { type Deadlines, limitSilence, type Timed } from './deadlines.ts'
import type { Hop, Proxied } from './hop.ts'
import { isOfReplica, type Stop, sendStop } from './proxy-errors.ts'
import type { ReadyQueue } from './ready-queue.ts'

/** What all attempts of a proxy share. */
export interface AttemptDeps {
  buildId: string
  hop: Hop
  bodies: RequestBodies<ProxyAttempt>
  deadlines: Deadlines<ProxyAttempt>
  readyQueue: ReadyQueue<ProxyAttempt>
  errors: ErrorSender
  log: Log
  isDraining: () => boolean
  onRetry: (upstream: Responder) => void
  noteRefusal: (exchange: Exchange, stop: Stop) => void
  devMode: boolean
}

type AttemptRequest = Pick<
  ProxyAttempt,
  'request' | 'response' | 'passage' | 'replicas' | 'framing' | 'client' | 'deliver' | 'decided'
>

const ATTEMPT = Symbol('attempt')
/** A request as the events of the library and the exchange pass it. */
type Carrier = IncomingMessage & { [ATTEMPT]?: ProxyAttempt }

export class ProxyAttempt implements Proxied, BodySender, Timed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly passage: Passage
  readonly replicas: ReplicaPool
  readonly framing: Framing
  readonly client: string
  /** Receives the response of the replica. */
  readonly deliver: UpstreamResponseSender
  /** What is passed to the replica besides the page; undefined: the request leaves the site. */
  readonly decided: Decided | undefined
  readonly shares: RoomHolder['shares'] = []
  body: Stream | undefined
  deadlineAt: number | undefined
  readonly #deps: AttemptDeps
  readonly #exchange: Exchange
  readonly #onEjected: OnEjected = (why) => this.dispatch({ kind: 'ejected', why })
  #state: AttemptState
  #upstreamRequest: ClientRequest | undefined
  #upstreamResponse: IncomingMessage | undefined
  /** When the request first waited for a ready replica. */
  #waitsSince: number | undefined

  /** The attempt of a request, once there is one. */
  static of(request: IncomingMessage): ProxyAttempt | undefined {
    return (request as Carrier)[ATTEMPT]
  }

  constructor(deps: AttemptDeps, given: AttemptRequest) {
    const { request, response, passage, replicas, framing, client, deliver, decided } = given
    this.#deps = deps
    this.request = request
    this.response = response
    this.passage = passage
    this.replicas = replicas
    this.framing = framing
    this.client = client
    this.deliver = deliver
    this.decided = decided
    this.#exchange = exchangeOf(request)
    const isRepeatable = !this.#hasBody && (request.method === 'GET' || request.method === 'HEAD')
    this.#state = newAttempt(isRepeatable, passage.route.build?.(this.#exchange), deps.devMode)
    // The one before led to a verdict of middleware instead of the page.
    if (ProxyAttempt.of(request)) this.#allowListeners()
    ;(request as Carrier)[ATTEMPT] = this
    this.#exchange.atEnd = onClosed
  }

  get #hasBody(): boolean {
    return this.framing.kind !== 'none'
  }

  /** Computed for the few requests that take room. */
  get network(): string {
    return networkOf(this.client)
  }

  get replica(): Replica | undefined {
    return this.#state.replica
  }

  start(): void {
    // A body that arrives with its head is complete once the parser has returned.
    if (this.#hasBody) setImmediate(this.#deps.bodies.receive, this)
    else this.dispatch({ kind: 'ready' })
  }

  stop(stop: Stop): void {
    this.dispatch({ kind: 'stopped', stop })
  }

  /** For a request that waits: all waiting requests together must not exceed the limit of the replica. */
  sendIfReady(): boolean {
    const replica = this.#choose({})
    if (!replica || replica.inFlight >= replica.inFlightLimit) return false
    this.#admit(replica)
    return true
  }

  onBodyBroken(): void {
    this.#upstreamRequest?.destroy()
  }

  onUpstreamRequest(upstreamRequest: ClientRequest): void {
    this.#upstreamRequest = upstreamRequest
    // The gateway responded before there was a connection: what has arrived of a body that is too large would look complete.
    if (this.#state.at === 'responding' || this.#state.at === 'done') return void upstreamRequest.destroy()
    writeFraming(upstreamRequest, this.framing)
    if (this.#exchange.found.external) this.#watchOtherHost(upstreamRequest)
    this.dispatch({ kind: 'connected' })
  }

  #watchOtherHost(upstreamRequest: ClientRequest) {
    limitSilence(upstreamRequest)
    // node:http reports no error when a server changes the protocol that no request offered to change.
    upstreamRequest.once('upgrade', (_response, socket) => {
      socket.destroy()
      this.onUpstreamError(codedError('EPROTO', 'status 101'))
    })
  }

  onUpstreamResponse(upstreamResponse: IncomingMessage): void {
    const { statusCode = 0 } = upstreamResponse
    // node:http reads any three digits, and writes none below 100.
    if (statusCode < 200) return void this.#upstreamRequest?.destroy(codedError('EPROTO', `status ${statusCode}`))
    this.#upstreamResponse = upstreamResponse
    // Only page data needs the header: the first access makes node:http build all header objects.
    const reported = this.#state.build === undefined ? undefined : upstreamResponse.headers[HEADERS.build]
    const build = typeof reported === 'string' ? reported : undefined
    this.dispatch({ kind: 'response', status: statusCode, build })
  }

  onUnreadable(): void {
    this.stop({ why: 'malformed' })
  }

  onUpstreamError(error: unknown): void {
    // The client disconnected, which ended the request to the replica: the replica did not fail.
    if (this.response.destroyed || this.#exchange.socket.destroyed) return
    const failure = faultOf(error, this.#upstreamRequest?.reusedSocket === true)
    this.dispatch({ kind: 'failed', failure, error })
  }

  dispatch(event: AttemptEvent): void {
    const { state, effects } = reduceAttempt(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: AttemptEffect) {
    switch (effect.kind) {
      case 'choose': {
        const replica = this.#choose(effect) ?? (effect.orSame ? this.#choose({}) : undefined)
        return replica ? this.#admit(replica) : this.dispatch({ kind: 'none-usable' })
      }
      case 'await-ready-replica':
        return this.#awaitReadyReplica()
      case 'send':
        return this.#send(effect)
      case 'report-success':
        return this.replicas.succeeded(effect.replica)
      case 'report-failure':
        return this.#reportFailure(effect)
      case 'release-replica':
        return this.replicas.end(effect.replica, this.#onEjected)
      case 'abandon-replica':
        return void this.#upstreamRequest?.destroy(replicaOut())
      case 'stop-timers':
        this.#deps.deadlines.remove(this)
        return this.#deps.readyQueue.remove(this)
      case 'send-response':
        return this.#sendResponse()
      case 'discard-response':
        return void this.#upstreamResponse?.resume()
      case 'respond':
        return this.#respond(effect.stop)
      case 'break-off':
        this.#deps.noteRefusal(this.#exchange, effect.stop)
        return void this.response.destroy()
      case 'release-body':
        if (this.#hasBody) this.#deps.bodies.release(this)
    }
  }

  #choose({ except, mustServe }: Pick<Extract<AttemptEffect, { kind: 'choose' }>, 'except' | 'mustServe'>) {
    const { route, page } = this.passage
    const key = route.affinity?.(this.#exchange, page)
    return this.replicas.choose({ except, key, build: this.#state.build, mustServe })
  }

  #admit(replica: Replica) {
    if (replica.inFlight >= replica.inFlightLimit) this.stop({ why: 'overloaded' })
    else if (!this.#deps.bodies.send(this, replica)) this.stop({ why: 'overloaded', refusal: 'bodies-full' })
    else this.dispatch({ kind: 'chosen', replica })
  }

  #awaitReadyReplica() {
    // Nothing reports when another host is ready.
    if (this.#exchange.found.external) this.stop({ why: 'refused' })
    else if (this.#deps.isDraining()) this.stop({ why: 'overloaded' })
    else if (!this.#deps.bodies.wait(this)) this.stop({ why: 'overloaded', refusal: 'bodies-full' })
    else {
      this.#waitsSince ??= performance.now()
      const waits = this.#deps.readyQueue.wait(this, this.#waitsSince)
      if (!waits) this.stop({ why: 'overloaded', refusal: 'ready-queue-full' })
    }
  }

  #send({ replica, attempt, isFirst, isRetry }: Extract<AttemptEffect, { kind: 'send' }>) {
    if (isRetry) this.#deps.onRetry(this.passage.route.by)
    this.#exchange.notes.replica = replica
    this.#exchange.notes.attempts = attempt
    if (isFirst) this.#startDeadline()
    else this.#allowListeners()
    const { buildId } = this.#deps
    if (this.decided)
      passRoute(this.request.headers, this.#exchange, this.decided, { version: replica.state.version, buildId })
    this.replicas.begin(replica, this.#onEjected)
    // An event of a connection may have caused the effect, outside of the request's trace.
    const { span, found } = this.#exchange
    const { external } = found
    // SECURITY: the trace context is not sent to other hosts.
    if (external) untraced(() => this.#deps.hop.send(this))
    else if (span) span.within(() => this.#deps.hop.send(this))
    else this.#deps.hop.send(this)
  }

  /** The library's listeners of each replica that was tried stay until the response closes: no leak, and no warning of one. */
  #allowListeners() {
    for (const emitter of [this.request, this.response]) emitter.setMaxListeners(0)
  }

  #startDeadline() {
    const begin = () => {
      this.deadlineAt = performance.now() + this.passage.route.firstByteMs
    }
    // The limit counts from the end of the request: a slow upload is not the upstream's delay.
    if (this.request.complete || !this.#hasBody) begin()
    else this.request.once('end', begin)
    this.#deps.deadlines.add(this)
  }

  #reportFailure({ replica, failure, error }: Extract<AttemptEffect, { kind: 'report-failure' }>) {
    // SECURITY: a page whose head a client can lengthen must not take replicas from others.
    if (isOfReplica(failure)) this.replicas.failed(replica, failure)
    this.#deps.log.warn({ error, upstream: this.passage.route.by, replica: replica.name, failure }, 'upstream failed')
  }

  #sendResponse() {
    if (!this.#upstreamResponse) return
    this.#exchange.notes.upstreamMs = performance.now() - this.#exchange.startedAt
    this.deliver(this.#exchange, this.request, this.response, this.#upstreamResponse)
  }

  /** Sends the gateway's own response and ends the request to the replica. */
  #respond(given: Stop) {
    const { request, response } = this
    const stop: Stop = given.why === 'refused' && this.passage.isUnconfirmed ? { why: 'overloaded' } : given
    this.#deps.noteRefusal(this.#exchange, stop)
    sendStop(this.#deps.errors, stop, { request, response, isBodyUnread: this.#hasBody && !request.complete })
    this.#upstreamRequest?.destroy()
    // The connection's next request follows the rest of this body.
    request.resume()
  }
}

/** One function for all requests: objects that a closure of each request refers to outlive the request, see unordered.ts. */
function onClosed(request: IncomingMessage): void {
  ProxyAttempt.of(request)?.dispatch({ kind: 'closed' })
}
