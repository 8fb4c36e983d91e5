// Proxies requests to the replicas of the services. proxy-attempt.ts handles one request; this file creates the parts
// that all attempts share.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ArrivalFault } from '@portico/shared/kit/life/body-arrival.ts'
import { offerOf } from '@portico/shared/kit/life/upgrade-offers.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { MIDDLEWARE_LIMIT_MS, NO_TARGET, WAITING_BODIES_BYTES } from '@portico/shared/wire/constants.ts'
import type { PassedQuestion } from '@portico/shared/wire/middleware/passed-question.ts'
import type { Decided } from '@portico/shared/wire/passed-route.ts'
import { type Exchange, exchangeOf, type Passage } from '../exchange/exchange.ts'
import {
  externalHeaders,
  type ForwardedFacts,
  framingForUpstream,
  isLoop,
  upgradeHeaders,
  upstreamHeaders,
} from '../headers/headers.ts'
import { poolOfBuild, poolPreferring, type ReplicaPool, type ReplicasByService } from '../replicas/replicas.ts'
import type { Responder, Route, ServiceName } from '../routes.ts'
import {
  createUpstreamResponseSender,
  type ErrorSender,
  type HeadWriter,
  type UpstreamResponseSender,
} from '../send/send.ts'
import {
  BODY_CEILING_BYTES,
  type BodySender,
  createBodyHolder,
  createRequestBodies,
  type RequestBodies,
} from './bodies/bodies.ts'
import { createDeadlines } from './deadlines.ts'
import { createHop, type Hop } from './hop.ts'
import { type AttemptDeps, ProxyAttempt } from './proxy-attempt.ts'
import { type Stop, sendStop } from './proxy-errors.ts'
import { createReadyQueue } from './ready-queue.ts'
import { createOfferSender } from './upgraded.ts'

export { BODY_CEILING_BYTES } from './bodies/bodies.ts'
export { createReadyQueue } from './ready-queue.ts'
export { offersWebSocket } from './upgraded.ts'

interface ProxyDeps {
  /** The manifest of the build whose routes the gateway resolves. */
  manifest: Pick<Manifest, 'buildId' | 'middleware'>
  replicas: ReplicasByService
  forwarded: (request: IncomingMessage) => ForwardedFacts
  head: HeadWriter
  errors: ErrorSender
  log: Log
  /** Upgraded connections of one other host. */
  inFlightLimit?: number
  /** Time limit for a client that reads nothing of a response. */
  stalledMs?: number
  /** Aborts when the gateway is about to stop. */
  draining?: AbortSignal
  onRetry?: (upstream: Responder) => void
  noteRefusal?: (reason: RefusalReason) => void
  /** Under development a replica is started again on purpose: a repeatable request waits for it after any failure. */
  devMode?: boolean
  listener?: 'public' | 'site'
  /** Shared by all apps of a listener. */
  waiting: WaitingRequests
}

export interface ServiceProxy {
  /** Responds with the response of the route's service. */
  pass(request: IncomingMessage, response: ServerResponse, passage: Passage): void
  /**
   * Requests a page with the question about middleware from renderers of the gateway's build only. `receive` reads the
   * response of the renderer, and `send` passes the response on.
   */
  passWithQuestion(request: IncomingMessage, response: ServerResponse, route: Route, question: PageQuestion): void
  /** Responds with the response of the other host to which a rewrite led, or joins both for a WebSocket. */
  passOut(request: IncomingMessage, response: ServerResponse, passage: Passage): void
  /**
   * Counts the body of a request that waits for a decision of the gateway, until the returned function is called. Responds
   * if there is no room.
   */
  holdBody(request: IncomingMessage, response: ServerResponse): () => void
  /** Responds to a request whose body is refused. */
  refuseBody(request: IncomingMessage, response: ServerResponse, fault: ArrivalFault): void
  /** Passes an upgraded connection on to a replica. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, service: ServiceName): void
}

interface PageQuestion {
  question: PassedQuestion
  receive: (upstream: IncomingMessage, send: () => void) => void
}

/** Creates the proxy of all services. */
export function createProxy(deps: ProxyDeps): ServiceProxy {
  const { errors, manifest, waiting } = deps
  const attemptDeps = createAttemptDeps(deps)
  const sendUpstreamResponse = createUpstreamResponseSender(deps.head, deps)
  const renderers = poolOfBuild(deps.replicas.of('renderer'), manifest.buildId)
  const preferred = preferredPools(deps)
  const loopToken = `portico-${manifest.buildId}`
  const sendOffer = createOfferSender({ ...deps, loopToken, sendUpstreamResponse })
  const passTo = (
    replicas: ReplicaPool,
    { request, response, passage, deliver = sendUpstreamResponse, decided }: Passed,
    headersOf: (forwarded: ForwardedFacts) => IncomingHttpHeaders,
  ) => {
    const framing = framingForUpstream(request)
    if (framing.kind === 'length' && framing.bytes > waiting.ceilingBytes) {
      const stop: Stop = { why: 'body-too-large', receivedBytes: framing.bytes, limitBytes: waiting.ceilingBytes }
      return sendStop(errors, stop, { request, response, isBodyUnread: true })
    }
    const forwarded = deps.forwarded(request)
    const passed = { request, response, passage, replicas, framing, client: forwarded.client, deliver, decided }
    const attempt = new ProxyAttempt(attemptDeps, passed)
    request.headers = headersOf(forwarded)
    attempt.start()
  }
  return {
    pass(request, response, passage) {
      const exchange = exchangeOf(request)
      const replicas = isForOwnBuild(exchange, passage, deps) ? renderers : preferred(passage)
      passTo(replicas, { request, response, passage, decided: decidedFor(passage, deps) }, (forwarded) =>
        upstreamHeaders(request, exchange, forwarded),
      )
    },
    passWithQuestion(request, response, given, { question, receive }) {
      const route = { ...given, firstByteMs: given.firstByteMs + MIDDLEWARE_LIMIT_MS }
      const deliver: UpstreamResponseSender = (exchange, _request, _response, upstream) =>
        receive(upstream, () => sendUpstreamResponse(exchange, request, response, upstream))
      passTo(renderers, { request, response, passage: { route }, deliver, decided: { question } }, (forwarded) =>
        upstreamHeaders(request, exchangeOf(request), forwarded),
      )
    },
    passOut(request, response, passage) {
      const { external } = exchangeOf(request).found
      if (!external) throw new Error('the route leads to another host, and no rewrite named it')
      // SECURITY: a rewrite to the site itself would send each request again until all connections are taken.
      const offer = offerOf(request)
      const stop = (why: Stop) => {
        const isBodyUnread = framingForUpstream(request).kind !== 'none'
        sendStop(errors, why, { request, response, isBodyUnread })
      }
      if (external.isRefused || isLoop(request, loopToken)) return stop({ why: 'refused' })
      if (offer)
        return sendOffer({
          request,
          response,
          offer,
          external,
          route: passage.route,
          forwarded: deps.forwarded(request),
          stop,
        })
      passTo(external.pool, { request, response, passage }, (forwarded) =>
        externalHeaders(request, external, forwarded, loopToken),
      )
    },
    holdBody: createBodyHolder({
      bodies: attemptDeps.bodies,
      errors,
      forwarded: deps.forwarded,
      noteRefusal: attemptDeps.noteRefusal,
    }),
    refuseBody(request, response, fault) {
      exchangeOf(request).notes.refusal = fault
      const why = fault === 'body-unread' ? 'late' : 'body-late'
      const attempt = ProxyAttempt.of(request)
      if (attempt) attempt.stop({ why })
      else sendStop(errors, { why }, { request, response, isBodyUnread: true })
    },
    upgrade(request, socket, head, service) {
      const replicas = deps.replicas.of(service)
      const replica = replicas.choose()
      if (!replica) return void socket.destroy()
      request.headers = upgradeHeaders(request.headers)
      replicas.begin(replica)
      socket.once('close', () => replicas.end(replica))
      // node:http hands its own sockets to upgrade listeners.
      attemptDeps.hop.upgrade(request, socket as Socket, head, replica)
    },
  }
}

/** Replicas of the gateway's own build, while one responds; for a handler that the build lacks, any. */
function preferredPools({ replicas, manifest: { buildId }, devMode }: ProxyDeps) {
  const pools: Record<ServiceName, ReplicaPool> = {
    renderer: poolPreferring(replicas.of('renderer'), buildId),
    images: replicas.of('images'),
    actions: poolPreferring(replicas.of('actions'), buildId),
  }
  return ({ route, lacksHandler }: Passage): ReplicaPool => {
    // Only routes to services are passed here.
    const service = route.by as ServiceName
    return devMode || lacksHandler ? replicas.of(service) : pools[service]
  }
}

/** Page data of another build is requested from replicas of that build. */
function isForOwnBuild(
  { guarded, pageData }: Exchange,
  { route: { by } }: Passage,
  { manifest: { buildId }, devMode }: Pick<ProxyDeps, 'manifest' | 'devMode'>,
): boolean {
  // SECURITY: the middleware of the gateway's build has let the page of this build pass, not that of another one. Under
  // development renderers report no version.
  return guarded !== undefined && by === 'renderer' && !devMode && (pageData?.buildId ?? buildId) === buildId
}

/** Whether the middleware of the gateway's build has decided, and whether this build lacks a handler at the address. */
function decidedFor(
  { route: { by }, lacksHandler }: Passage,
  { manifest: { buildId, middleware }, devMode, listener }: Pick<ProxyDeps, 'manifest' | 'devMode' | 'listener'>,
): Decided {
  // The public listener has guarded the images for which the images service requests the other one.
  const isGuarded = by === 'renderer' ? middleware !== undefined : by === 'actions' && !devMode && listener !== 'site'
  return { ...(isGuarded && { guard: buildId }), ...(lacksHandler && !devMode && { moved: NO_TARGET }) }
}

interface Passed {
  request: IncomingMessage
  response: ServerResponse
  passage: Passage
  deliver?: UpstreamResponseSender
  /** Absent: the request leaves the site. */
  decided?: Decided
}

/** What the requests that wait share, so that their bounds are those of the process. */
export interface WaitingRequests {
  bodies: RequestBodies<ProxyAttempt>
  /** Largest request body. */
  ceilingBytes: number
  readyQueue: AttemptDeps['readyQueue']
  /** The library adds a listener to the server of each middleware. */
  hop: Hop
}

export interface WaitingLimits {
  /** Bodies that wait in the gateway, in bytes. */
  waitingBodiesBytes?: number
  /** Largest request body in bytes. */
  bodyCeilingBytes?: number
  /** How long a request waits for a first ready replica, and how many requests may wait. */
  firstReadyMs?: number
  firstReadyWaiters?: number
  /** Aborts when the gateway is about to stop. */
  draining: AbortSignal
}

export function createWaitingRequests(deps: WaitingLimits): WaitingRequests {
  const { waitingBodiesBytes = WAITING_BODIES_BYTES, bodyCeilingBytes = BODY_CEILING_BYTES, draining } = deps
  return {
    bodies: createRequestBodies({ waitingBytes: waitingBodiesBytes, ceilingBytes: bodyCeilingBytes }),
    ceilingBytes: bodyCeilingBytes,
    hop: createHop(ProxyAttempt.of),
    readyQueue: createReadyQueue({
      tryNow: (attempt) => attempt.sendIfReady(),
      sourceOf: ({ replicas }) => replicas,
      networkOf: ({ network }) => network,
      onDisplaced: (attempt) => attempt.stop({ why: 'overloaded', refusal: 'ready-queue-full' }),
      onTimeout: (attempt) => attempt.stop({ why: attempt.replicas.areRefused() ? 'refused' : 'overloaded' }),
      isDraining: () => draining.aborted,
      ...(deps.firstReadyMs !== undefined && { waitMs: deps.firstReadyMs }),
      ...(deps.firstReadyWaiters !== undefined && { most: deps.firstReadyWaiters }),
    }),
  }
}

function createAttemptDeps(deps: ProxyDeps): AttemptDeps & { bodies: RequestBodies<BodySender> } {
  const { errors, log, draining, onRetry = () => {}, noteRefusal = () => {} } = deps
  const isDraining = () => draining?.aborted === true
  return {
    deadlines: createDeadlines((attempt) => attempt.stop({ why: 'late' })),
    ...deps.waiting,
    buildId: deps.manifest.buildId,
    errors,
    log,
    isDraining,
    onRetry,
    noteRefusal(exchange, { refusal }) {
      if (refusal === undefined) return
      noteRefusal(refusal)
      exchange.notes.refusal = refusal
    },
    devMode: deps.devMode ?? false,
  }
}
