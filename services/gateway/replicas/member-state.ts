// The state of one replica: what probes and requests reported of it, and the health that follows for the choice (G2).
// Pure: callers pass the time, and replicas.ts performs the effects.

import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'

/** Failed probes in a row before a replica counts as failed: one lost probe changes nothing. */
const PROBE_FAILURES = 2
/** Failed requests in a row before a replica is ejected; a refused connection ejects the replica immediately. */
const REQUEST_FAILURES = 3
/** First pause of a replica that failed requests; each failure after a pause doubles the next pause. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000

/** `waiting`: not probed yet. `resting`: responds to probes but failed requests. */
export type ReplicaState = 'ready' | 'waiting' | 'not-ready' | 'resting' | 'failed'

export interface MemberState {
  /** Result of the last probe that counts; undefined before the first. */
  readonly probed: ProbeResult | undefined
  readonly probeFailures: number
  /** Failed requests in a row. */
  readonly requestFailures: number
  /** Pauses since the last successful request. */
  readonly pauses: number
  /** The replica failed requests and receives no requests until this time. */
  readonly pausedUntil: number
  /** The replica refused a request's connection, and no later probe found the replica ready. */
  readonly isRefused: boolean
  readonly refusedAt: number
  /** The version that the replica reported with its last probe (C2); undefined for a service without versions. */
  readonly version: string | undefined
  /** The state that was last reported. */
  readonly reported: ReplicaState
}

export type MemberEvent =
  | { readonly kind: 'probed'; readonly result: ProbeResult; readonly version?: string; readonly startedAt: number }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly how: RequestFailure }

/**
 * `refused`: no process listens or the connection timed out. `broken`: the connection ended before a response began.
 * `stale`: a kept connection ended just as a request used it, which is no fault of the replica.
 */
export type RequestFailure = 'refused' | 'broken' | 'stale'

type ProbedEvent = Extract<MemberEvent, { kind: 'probed' }>

/** `eject`: requests that wait at the replica are notified. `look-up`: the addresses may have changed. */
export type MemberEffect = 'report' | 'eject' | 'look-up' | 'close-idle-connections'

interface Step {
  readonly state: MemberState
  readonly effects: readonly MemberEffect[]
}

export const NEW_MEMBER: MemberState = {
  probed: undefined,
  probeFailures: 0,
  requestFailures: 0,
  pauses: 0,
  pausedUntil: 0,
  isRefused: false,
  refusedAt: 0,
  version: undefined,
  reported: 'waiting',
}

const NO_EFFECTS: readonly MemberEffect[] = []

/** `now` is a time of one monotonic clock, as `startedAt` of a probe. */
export function reduceMember(state: MemberState, event: MemberEvent, now: number): Step {
  switch (event.kind) {
    case 'probed':
      return reportChange(afterProbe(state, event), now)
    case 'succeeded':
      // Nearly every request: nothing is copied.
      if (state.requestFailures === 0 && state.pauses === 0 && !state.isRefused) return { state, effects: NO_EFFECTS }
      return { state: { ...state, requestFailures: 0, pauses: 0, isRefused: false }, effects: NO_EFFECTS }
    case 'failed': {
      if (event.how === 'stale') return { state, effects: ['close-idle-connections'] }
      const requestFailures = state.requestFailures + 1
      if (event.how === 'broken' && requestFailures < REQUEST_FAILURES)
        return { state: { ...state, requestFailures }, effects: NO_EFFECTS }
      const refused = event.how === 'refused' ? { ...state, isRefused: true, refusedAt: now } : state
      const step = reportChange({ ...paused(refused, now), requestFailures: 0 }, now)
      return { state: step.state, effects: [...step.effects, 'look-up'] }
    }
  }
}

function afterProbe(state: MemberState, { result, version, startedAt }: ProbedEvent): MemberState {
  // A probe that began after the last refused connection ends the refusal.
  const isRefused = state.isRefused && startedAt < state.refusedAt
  if (result === 'ready') return { ...state, probed: result, probeFailures: 0, version, isRefused }
  if (result === 'not-ready') return { ...state, probed: result, probeFailures: 0, version }
  const probeFailures = state.probeFailures + 1
  const isKept = state.probed !== undefined && probeFailures < PROBE_FAILURES
  return { ...state, probed: isKept ? state.probed : result, probeFailures }
}

/** Many requests that fail at the same moment count as one failure. */
function paused(state: MemberState, now: number): MemberState {
  if (state.pausedUntil > now) return state
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** state.pauses, LONGEST_PAUSE_MS)
  return { ...state, pausedUntil: now + pauseMs, pauses: state.pauses + 1 }
}

/** After every event that can change the health, and at each probe, because a pause ends by time alone. */
function reportChange(state: MemberState, now: number): Step {
  const reported = healthOf(state, now).state
  if (reported === state.reported) return { state, effects: NO_EFFECTS }
  const isEjected = reported === 'failed' || reported === 'resting'
  // The address may return as another process with another version.
  const version = isEjected ? undefined : state.version
  return { state: { ...state, reported, version }, effects: isEjected ? ['report', 'eject'] : ['report'] }
}

export interface Health {
  readonly state: ReplicaState
  /**
   * The lowest rank is best; a replica receives requests only while no replica has a lower rank. Undefined: the replica
   * receives no requests, requests wait. A frozen or busy replica accepts connections and may still respond; where no
   * process listens, or where the replica itself reports that it is not ready, a request can only fail.
   */
  readonly rank: number | undefined
}

const READY: Health = { state: 'ready', rank: 0 }
const RESTING: Health = { state: 'resting', rank: 1 }
const RESTING_REFUSED: Health = { state: 'resting', rank: undefined }
const LATE: Health = { state: 'failed', rank: 2 }
const LATE_ONCE: Health = { state: 'waiting', rank: 2 }
const REFUSED: Health = { state: 'failed', rank: undefined }
const WAITING: Health = { state: 'waiting', rank: undefined }
const NOT_READY: Health = { state: 'not-ready', rank: undefined }

/** The health of a replica at a time of the same clock as `pausedUntil`. */
export function healthOf({ probed, probeFailures, pausedUntil, isRefused }: MemberState, now: number): Health {
  if (probed === 'not-ready') return NOT_READY
  if (probeFailures >= PROBE_FAILURES) return probed === 'refused' ? REFUSED : LATE
  if (pausedUntil > now) return isRefused ? RESTING_REFUSED : RESTING
  if (probed === 'ready') return READY
  return probed === 'failed' ? LATE_ONCE : WAITING
}

/** Whether the replica refuses connections, by its last probe or a later request. */
export function refusesConnections({ probed, isRefused }: MemberState): boolean {
  return probed === 'refused' || (isRefused && probed !== 'not-ready')
}
