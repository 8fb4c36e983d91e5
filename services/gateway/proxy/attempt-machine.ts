// What happens to one request on its way through a service: choosing → connecting → waiting → responding → done. Pure: proxy-attempt.ts reports the events and performs the effects.

import { type ConnectionFault, mayRepeat } from '@portico/shared/kit/inner/faults.ts'
import type { Replica } from '../replicas/replicas.ts'
import type { Stop } from './proxy-errors.ts'

/** A request whose response did not begin is sent once more, where a second time changes nothing. */
const MOST_ATTEMPTS = 2
/** Under development a replica may be started again between the two. */
const MOST_PATIENT_ATTEMPTS = 3

export interface AttemptState {
  /**
   * `choosing` includes the time in which the body arrives, or in which no replica is usable. `connecting`: the request has
   * no connection, and nothing of it was sent.
   */
  readonly at: 'choosing' | 'connecting' | 'waiting' | 'responding' | 'done'
  /** Requests sent to replicas so far. A refused connection is no attempt: no byte of the request was sent. */
  readonly attempts: number
  /** The request was given to a replica, which may have refused the connection. */
  readonly hasBegun: boolean
  /** The replica whose number of running requests includes this one. */
  readonly replica: Replica | undefined
  /** The replica of the attempt before, if a kept connection to it had ended. */
  readonly stale: Replica | undefined
  /** While choosing: the replica before serves another build, and its response is kept until there is a better one (G3). */
  readonly isElsewhere: boolean
  /** The request may be sent twice: it has no body, and its method changes nothing. */
  readonly isRepeatable: boolean
  /** The build that the request names. */
  readonly build: string | undefined
  /** The request waits for a ready replica after any failure, because a replica is started again on purpose. */
  readonly isPatient: boolean
}

export type AttemptEvent =
  /** All of the body that is collected has arrived. */
  | { readonly kind: 'ready' }
  /** A replica was found, with room for the request. */
  | { readonly kind: 'chosen'; readonly replica: Replica }
  | { readonly kind: 'none-usable' }
  /** The request has a connection, a new one or a kept one. */
  | { readonly kind: 'connected' }
  /** The request failed before a response began. */
  | { readonly kind: 'failed'; readonly failure: ConnectionFault; readonly error: unknown }
  /** The prober ejected the replica. `given-up`: no other replica is ready. */
  | { readonly kind: 'ejected'; readonly why: 'frozen' | 'given-up' }
  /** The head of the response arrived; `build` is the build that the head reports. */
  | { readonly kind: 'response'; readonly status: number; readonly build: string | undefined }
  /** All of the response has arrived; the client may still be reading. */
  | { readonly kind: 'response-ended' }
  | { readonly kind: 'stopped'; readonly stop: Stop }
  /** The response to the client is closed. */
  | { readonly kind: 'closed' }

export type AttemptEffect =
  /**
   * Ends with the event `chosen`, `none-usable` or `stopped`. `orSame`: the excepted replica, where no other one is usable;
   * `mustServe`: a replica that serves another build is not usable.
   */
  | { readonly kind: 'choose'; readonly except?: Replica; readonly orSame?: true; readonly mustServe?: true }
  | { readonly kind: 'await-ready-replica' }
  | {
      readonly kind: 'send'
      readonly replica: Replica
      readonly attempt: number
      readonly isFirst: boolean
      readonly isRetry: boolean
    }
  | { readonly kind: 'report-success'; readonly replica: Replica }
  | {
      readonly kind: 'report-failure'
      readonly replica: Replica
      readonly failure: ConnectionFault
      readonly error: unknown
    }
  /** The request no longer counts as running at the replica. */
  | { readonly kind: 'release-replica'; readonly replica: Replica }
  /** Ends the request to the replica with an error, which leads to the next attempt. */
  | { readonly kind: 'abandon-replica' }
  | { readonly kind: 'stop-timers' }
  | { readonly kind: 'send-response' }
  | { readonly kind: 'discard-response' }
  /** The gateway's own response. */
  | { readonly kind: 'respond'; readonly stop: Stop }
  /** The response has begun: only a closed connection can report that the response is incomplete. */
  | { readonly kind: 'break-off'; readonly stop: Stop }
  | { readonly kind: 'release-body' }

interface Step {
  readonly state: AttemptState
  /** In this order. An effect that ends with an event is the last one. */
  readonly effects: readonly AttemptEffect[]
}

const NONE: readonly AttemptEffect[] = []
const AWAIT_READY: AttemptEffect = { kind: 'await-ready-replica' }
const STOP_TIMERS: AttemptEffect = { kind: 'stop-timers' }
const REFUSED: Stop = { why: 'refused' }
const OVERLOADED: Stop = { why: 'overloaded' }

export function newAttempt(isRepeatable: boolean, build: string | undefined, devMode = false): AttemptState {
  const isPatient = devMode && isRepeatable
  return {
    at: 'choosing',
    attempts: 0,
    hasBegun: false,
    replica: undefined,
    stale: undefined,
    isElsewhere: false,
    isRepeatable,
    build,
    isPatient,
  }
}

/** Events that a state does not name change nothing: they belong to an attempt that has ended. */
export function reduceAttempt(state: AttemptState, event: AttemptEvent): Step {
  if (event.kind === 'closed') return close(state)
  switch (state.at) {
    case 'choosing':
      if (event.kind === 'ready') return { state, effects: [{ kind: 'choose' }] }
      if (event.kind === 'chosen') return send(state, event.replica)
      if (event.kind === 'none-usable') return withoutReplica(state)
      if (event.kind === 'stopped') return respond(state, event.stop)
      break
    case 'connecting':
    case 'waiting':
      if (event.kind === 'connected') return { state: { ...state, at: 'waiting' }, effects: NONE }
      // Whether a POST ran is unknown, as after every late response; its client need not wait longer to be told.
      if (event.kind === 'ejected' && event.why === 'given-up') return respond(state, OVERLOADED)
      // One without a connection fails with it.
      if (event.kind === 'ejected' && state.at === 'waiting' && state.isRepeatable)
        return { state, effects: [{ kind: 'abandon-replica' }] }
      // The replica is known from `chosen` on.
      if (event.kind === 'failed') return afterFailure(state, state.replica!, event.failure, event.error)
      if (event.kind === 'response') return afterHead(state, state.replica!, event.status, event.build)
      if (event.kind === 'stopped') return respond(state, event.stop)
      break
    case 'responding':
      if (event.kind === 'response-ended') return releaseReplica(state)
      if (event.kind === 'stopped') return { state, effects: [{ kind: 'break-off', stop: event.stop }] }
      break
    case 'done':
      break
  }
  return { state, effects: NONE }
}

function send(state: AttemptState, replica: Replica): Step {
  const { isElsewhere, hasBegun } = state
  const attempt = state.attempts + 1
  const isRetry = hasBegun && !isElsewhere
  const sent: AttemptEffect = { kind: 'send', replica, attempt, isFirst: !hasBegun, isRetry }
  return {
    state: { ...state, at: 'connecting', attempts: attempt, hasBegun: true, replica, isElsewhere: false },
    effects: isElsewhere ? [{ kind: 'discard-response' }, ...releaseReplica(state).effects, sent] : [sent],
  }
}

/** A request that chooses may be sent: one that may not was responded to. */
function withoutReplica(state: AttemptState): Step {
  return state.isElsewhere ? sendResponse(state, NONE) : { state, effects: [AWAIT_READY] }
}

function afterFailure(state: AttemptState, replica: Replica, failure: ConnectionFault, error: unknown): Step {
  const isUnsent = state.at === 'connecting'
  // A process that was killed ends its kept connections first and its listener last: until then the system accepts
  // connections, which break. Such a second attempt is not counted; only a first one leads to it: there are three at most.
  const isEnding = failure === 'broken' && state.stale === replica
  // A replica that refused is not chosen before a probe finds it ready, and one that is out last: there is an end without
  // a count.
  const isAttempt = !isEnding && (!isUnsent || failure === 'broken')
  const attempts = isAttempt ? state.attempts : state.attempts - 1
  const reports: AttemptEffect[] = [
    { kind: 'release-replica', replica },
    { kind: 'report-failure', replica, failure, error },
  ]
  const left: AttemptState = { ...state, at: 'choosing', attempts, replica: undefined, stale: undefined }
  const mayGoOn = mayRepeat({ fault: failure, isUnsent }, state.isRepeatable)
  if (mayGoOn && attempts < MOST_ATTEMPTS) {
    if (failure !== 'stale') return { state: left, effects: [...reports, { kind: 'choose', except: replica }] }
    // The same replica again only where a kept connection had ended; the second attempt makes a new connection.
    const orSame: AttemptEffect = { kind: 'choose', except: replica, orSame: true }
    return { state: { ...left, stale: replica }, effects: [...reports, orSame] }
  }
  if (mayGoOn && state.isPatient && attempts < MOST_PATIENT_ATTEMPTS)
    return { state: left, effects: [...reports, AWAIT_READY] }
  const { state: responding, effects } = respond(left, REFUSED)
  return { state: responding, effects: [...reports, ...effects] }
}

function afterHead(state: AttemptState, replica: Replica, status: number, reported: string | undefined): Step {
  const { build } = state
  const reports: AttemptEffect[] = [{ kind: 'report-success', replica }]
  const isOther = build !== undefined && reported !== undefined && reported !== build
  // Page data of a build that this replica does not serve is requested from another one that may (G3).
  if (!isOther || status !== 404 || state.attempts >= MOST_ATTEMPTS) return sendResponse(state, reports)
  return {
    state: { ...state, at: 'choosing', isElsewhere: true },
    effects: [...reports, { kind: 'choose', except: replica, mustServe: true }],
  }
}

function sendResponse(state: AttemptState, reports: readonly AttemptEffect[]): Step {
  return { state: { ...state, at: 'responding' }, effects: [...reports, STOP_TIMERS, { kind: 'send-response' }] }
}

function respond(state: AttemptState, stop: Stop): Step {
  return { state: { ...state, at: 'responding' }, effects: [STOP_TIMERS, { kind: 'respond', stop }] }
}

function releaseReplica(state: AttemptState): Step {
  if (!state.replica) return { state, effects: NONE }
  return { state: { ...state, replica: undefined }, effects: [{ kind: 'release-replica', replica: state.replica }] }
}

function close(state: AttemptState): Step {
  if (state.at === 'done') return { state, effects: NONE }
  const { state: left, effects } = releaseReplica(state)
  return { state: { ...left, at: 'done' }, effects: [STOP_TIMERS, { kind: 'release-body' }, ...effects] }
}
