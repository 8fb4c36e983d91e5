// What happens to one request on its way through a service: choosing → connecting → waiting → responding → done. Pure:
// proxy-attempt.ts reports the events and performs the effects.

import type { Replica } from '../replicas/replicas.ts'
import type { Failure, Stop } from './proxy-errors.ts'

/** On a refused connection no request was sent; a repeatable request is sent three times at most. */
const MOST_ATTEMPTS = 3
/** The next replica is chosen immediately once; then a request whose connection was refused waits for a ready one. */
const IMMEDIATE_ATTEMPTS = 2

export interface AttemptState {
  /** `choosing` includes the time in which the body arrives, or in which no replica is usable. */
  readonly at: 'choosing' | 'connecting' | 'waiting' | 'responding' | 'done'
  /** Requests sent to replicas so far. */
  readonly attempts: number
  /** The replica whose number of running requests includes this one. */
  readonly replica: Replica | undefined
  /** While choosing: how the attempt before ended. `other-build`: the replica serves another build (G3). */
  readonly after: 'nothing' | Failure | 'other-build'
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
  /** node:http assigned a connection to the request. */
  | { readonly kind: 'assigned'; readonly isConnecting: boolean }
  | { readonly kind: 'connected' }
  /** The request failed before a response began. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly error: unknown }
  /** The prober ejected the replica. */
  | { readonly kind: 'ejected' }
  /** The head of the response arrived; `build` is the build that the head reports. */
  | { readonly kind: 'response'; readonly status: number; readonly build: string | undefined }
  /** All of the response has arrived; the client may still be reading. */
  | { readonly kind: 'response-ended' }
  | { readonly kind: 'stopped'; readonly stop: Stop }
  /** The response to the client is closed. */
  | { readonly kind: 'closed' }

export type AttemptEffect =
  /**
   * Ends with the event `chosen`, `none-usable` or `stopped`. `fallback` is used where no other replica is usable;
   * `mustServe`: a replica that serves another build is not usable.
   */
  | { readonly kind: 'choose'; readonly except?: Replica; readonly fallback?: Replica; readonly mustServe?: true }
  | { readonly kind: 'await-ready-replica' }
  | { readonly kind: 'send'; readonly replica: Replica; readonly attempt: number; readonly isRetry: boolean }
  | { readonly kind: 'limit-connecting' }
  | { readonly kind: 'report-success'; readonly replica: Replica }
  | { readonly kind: 'report-failure'; readonly replica: Replica; readonly failure: Failure; readonly error: unknown }
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

export function newAttempt(isRepeatable: boolean, build: string | undefined, devMode = false): AttemptState {
  const isPatient = devMode && isRepeatable
  return { at: 'choosing', attempts: 0, replica: undefined, after: 'nothing', isRepeatable, build, isPatient }
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
      if (event.kind === 'assigned' && event.isConnecting) return { state, effects: [{ kind: 'limit-connecting' }] }
      if (event.kind === 'assigned' || event.kind === 'connected')
        return { state: { ...state, at: 'waiting' }, effects: NONE }
      if (event.kind === 'ejected') return { state, effects: [{ kind: 'abandon-replica' }] }
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
  const attempt = state.attempts + 1
  const isElsewhere = state.after === 'other-build'
  const sent: AttemptEffect = { kind: 'send', replica, attempt, isRetry: attempt > 1 && !isElsewhere }
  return {
    state: { ...state, at: 'connecting', attempts: attempt, replica, after: 'nothing' },
    effects: isElsewhere ? [{ kind: 'discard-response' }, ...releaseReplica(state).effects, sent] : [sent],
  }
}

function withoutReplica(state: AttemptState): Step {
  if (state.after === 'other-build') return sendResponse(state, NONE)
  const canWait = state.after === 'nothing' || state.after === 'refused' || state.isPatient
  return canWait ? { state, effects: [AWAIT_READY] } : respond(state, REFUSED)
}

function afterFailure(state: AttemptState, replica: Replica, failure: Failure, error: unknown): Step {
  const reports: AttemptEffect[] = [
    { kind: 'release-replica', replica },
    { kind: 'report-failure', replica, failure, error },
  ]
  const left: AttemptState = { ...state, at: 'choosing', replica: undefined, after: failure }
  if (state.isRepeatable && state.attempts < IMMEDIATE_ATTEMPTS) {
    // The same replica again only where a kept connection had ended; the second attempt makes a new connection.
    const fallback = failure === 'stale' && { fallback: replica }
    return { state: left, effects: [...reports, { kind: 'choose', except: replica, ...fallback }] }
  }
  if (state.isRepeatable && state.attempts < MOST_ATTEMPTS && (failure === 'refused' || state.isPatient))
    return { state: left, effects: [...reports, AWAIT_READY] }
  const { state: responding, effects } = respond(left, REFUSED)
  return { state: responding, effects: [...reports, ...effects] }
}

function afterHead(state: AttemptState, replica: Replica, status: number, reported: string | undefined): Step {
  const { build } = state
  const reports: AttemptEffect[] = [{ kind: 'report-success', replica }]
  const isOther = build !== undefined && reported !== undefined && reported !== build
  // Page data of a build that this replica does not serve is requested from another one that may (G3).
  if (!isOther || status !== 404 || state.attempts >= IMMEDIATE_ATTEMPTS) return sendResponse(state, reports)
  return {
    state: { ...state, at: 'choosing', after: 'other-build' },
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
