// The state of one replica: what probes and requests reported of it, and the health that follows for the choice (G2).
// Pure: callers pass the time, and service-replicas.ts performs the effects. The status of a response does not count: it
// is the site's own, and a popular page with an error would be counted against the replica that renders it.

import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { backOff } from '@portico/shared/kit/life/restart/back-off.ts'
import {
  BROKEN_SHARE,
  BROKEN_SHARE_LEAST_REQUESTS,
  BROKEN_SHARE_WINDOW_MS,
  FROZEN_AFTER_MS,
  GIVEN_UP_AFTER_MS,
  SLOW_START_MS,
} from '@portico/shared/wire/constants.ts'

interface Tally {
  readonly requests: number
  readonly broken: number
}

export interface Tallies {
  note(isBroken: boolean, now: number): void
  /** What happened in the last half to whole window. */
  read(now: number): Tally
  clear(): void
}

const HALF_MS = BROKEN_SHARE_WINDOW_MS / 2
const NONE: Tally = { requests: 0, broken: 0 }

/** Two halves of the window: a request costs two additions, and no list of times. */
export function createTallies(): Tallies {
  let earlier: Tally = NONE
  let current = { requests: 0, broken: 0 }
  let since = 0
  const turn = (now: number) => {
    if (now - since < HALF_MS) return
    earlier = now - since < BROKEN_SHARE_WINDOW_MS ? current : NONE
    current = { requests: 0, broken: 0 }
    since = now
  }
  return {
    note(isBroken, now) {
      turn(now)
      current.requests++
      if (isBroken) current.broken++
    },
    read(now) {
      turn(now)
      return { requests: earlier.requests + current.requests, broken: earlier.broken + current.broken }
    },
    clear() {
      earlier = NONE
      current = { requests: 0, broken: 0 }
    },
  }
}

/** Broken requests in a row before a replica rests; a refused connection counts immediately. */
const BROKEN_IN_A_ROW = 3
/** Pauses of a replica that failed requests. */
const PAUSES = { firstMs: 1000, longestMs: 10_000 }
/** The share of requests of a replica that became ready this moment. */
const FIRST_WEIGHT = 0.1

/** `waiting`: never ready. `resting`: responds to probes but failed requests. */
export type ReplicaState = 'ready' | 'waiting' | 'not-ready' | 'resting' | 'failed'

export interface MemberState {
  /** What the last probe that was not late found; undefined before the first. */
  readonly probed: Exclude<ProbeResult, 'failed'> | undefined
  /** The last probe was late … */
  readonly isLate: boolean
  /** … and no byte of a response arrived since that probe began. */
  readonly isSilent: boolean
  /** When the last byte of any response arrived, of a probe or of a request. */
  readonly heardAt: number
  /** Broken requests in a row. */
  readonly brokenInARow: number
  /** Pauses since the last successful request. */
  readonly pauses: number
  /** The replica failed requests and receives none until this time where another one is usable. */
  readonly pausedUntil: number
  /** The replica refused a request's connection, and no later probe found the replica ready. */
  readonly isRefused: boolean
  readonly refusedAt: number
  /** When the replica last became ready; undefined if it never was. */
  readonly readyAt: number | undefined
  /** The version that the replica reported with its last probe (C2); undefined for a service without versions. */
  readonly version: string | undefined
  /** Names the process that responded to the last probe. */
  readonly instance: string | undefined
  /** The state that was last reported. */
  readonly reported: ReplicaState
}

export type MemberEvent =
  /** `heardAt`: when the last byte of a response to a request arrived. */
  | {
      readonly kind: 'probed'
      readonly result: ProbeResult
      readonly version?: string
      readonly instance?: string
      readonly startedAt: number
      readonly heardAt: number
    }
  /** A probe still waits for its response. */
  | { readonly kind: 'waited'; readonly heardAt: number }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly how: 'refused' }
  | { readonly kind: 'failed'; readonly how: 'stale' }
  /** `tally`: of the last requests, with this one. `mayRest`: enough of the other replicas do not rest. */
  | { readonly kind: 'failed'; readonly how: 'broken'; readonly tally: Tally; readonly mayRest: boolean }

/**
 * `refused`: no process listens or the connection timed out. `broken`: the connection ended before a response began.
 * `stale`: a kept connection ended just as a request used it, which is no fault of the replica.
 */
export type RequestFailure = 'refused' | 'broken' | 'stale'

type ProbedEvent = Extract<MemberEvent, { kind: 'probed' }>

/**
 * `eject`, `eject-connecting`: requests that wait at the replica are notified, the latter for those that have no connection
 * yet. `give-up`: they are refused if there is no other replica. `look-up`: the addresses may have changed.
 */
export type MemberEffect =
  | 'report'
  | 'eject'
  | 'eject-connecting'
  | 'give-up'
  | 'look-up'
  | 'close-idle-connections'
  | 'clear-tally'

interface Step {
  readonly state: MemberState
  readonly effects: readonly MemberEffect[]
}

export const NEW_MEMBER: MemberState = {
  probed: undefined,
  isLate: false,
  isSilent: false,
  heardAt: 0,
  brokenInARow: 0,
  pauses: 0,
  pausedUntil: 0,
  isRefused: false,
  refusedAt: 0,
  readyAt: undefined,
  version: undefined,
  instance: undefined,
  reported: 'waiting',
}

const NO_EFFECTS: readonly MemberEffect[] = []

/** `now` is a time of one monotonic clock, as `startedAt` of a probe. */
export function reduceMember(state: MemberState, event: MemberEvent, now: number): Step {
  switch (event.kind) {
    case 'probed':
      return reportChange(state, afterProbe(state, event, now), now)
    case 'waited':
      return reportChange(state, { ...state, heardAt: Math.max(state.heardAt, event.heardAt) }, now)
    case 'succeeded':
      // Nearly every request: nothing is copied.
      if (state.brokenInARow === 0 && state.pauses === 0 && !state.isRefused) return { state, effects: NO_EFFECTS }
      return { state: { ...state, brokenInARow: 0, pauses: 0, isRefused: false }, effects: NO_EFFECTS }
    case 'failed': {
      if (event.how === 'stale') return { state, effects: ['close-idle-connections'] }
      if (event.how === 'refused') {
        const { state: next, effects } = rest({ ...state, isRefused: true, refusedAt: now }, now)
        return { state: next, effects: [...effects, 'look-up'] }
      }
      const brokenInARow = state.brokenInARow + 1
      if (!event.mayRest || !breaks(brokenInARow, event.tally))
        return { state: { ...state, brokenInARow }, effects: NO_EFFECTS }
      const { state: next, effects } = rest(state, now)
      return { state: next, effects: [...effects, 'clear-tally', 'look-up'] }
    }
  }
}

/** Envoy's two ways to find an outlier: requests that break in a row, and their share. */
function breaks(brokenInARow: number, { requests, broken }: Tally): boolean {
  if (brokenInARow >= BROKEN_IN_A_ROW) return true
  return requests >= BROKEN_SHARE_LEAST_REQUESTS && broken >= requests * BROKEN_SHARE
}

function afterProbe(state: MemberState, event: ProbedEvent, now: number): MemberState {
  const { result, version, instance, startedAt } = event
  const heardAt = Math.max(state.heardAt, event.heardAt)
  if (result === 'failed') return { ...state, isLate: true, isSilent: heardAt < startedAt, heardAt }
  if (result === 'refused') return { ...state, probed: result, isLate: false, heardAt }
  // A probe that began after the last refused connection ends the refusal.
  const isRefused = state.isRefused && (result !== 'ready' || startedAt < state.refusedAt)
  return { ...state, probed: result, isLate: false, heardAt: now, version, instance, isRefused }
}

/** Many requests that fail at the same moment count as one failure. */
function rest(state: MemberState, now: number): Step {
  const left = { ...state, brokenInARow: 0 }
  if (state.pausedUntil > now) return reportChange(state, left, now)
  const pauses = state.pauses + 1
  return reportChange(state, { ...left, pausedUntil: now + backOff(PAUSES, pauses), pauses }, now)
}

/** After every event that can change the health, and at each probe, because a pause ends by time alone. */
function reportChange(before: MemberState, state: MemberState, now: number): Step {
  const effects: MemberEffect[] = []
  const reported = healthOf(state, now).state
  let next = state
  if (reported !== state.reported) {
    effects.push('report')
    const readyAt = reported === 'ready' ? now : state.readyAt
    // The address may return as another process with another version.
    const isOut = reported === 'failed' || reported === 'resting'
    next = { ...state, reported, readyAt, version: isOut ? undefined : state.version }
  }
  // Another process has the address, which may be of another service.
  if (state.instance !== before.instance && before.instance !== undefined) effects.push('look-up')
  // At each event: another replica may be ready only later.
  if ((state.isLate || state.probed === 'refused') && isQuiet(state, now)) {
    effects.push('eject')
    if (now - state.heardAt >= GIVEN_UP_AFTER_MS) effects.push('give-up')
  }
  // Most likely no host has the address any more: a connection attempt ends late.
  else if (state.isLate && state.isSilent) effects.push('eject-connecting')
  // Each new connection ends with its response; an idle one may be closed just as a request uses it.
  if (state.probed === 'draining' && before.probed !== 'draining') effects.push('close-idle-connections')
  return { state: next, effects: effects.length === 0 ? NO_EFFECTS : effects }
}

function isQuiet({ heardAt }: MemberState, now: number): boolean {
  return now - heardAt >= FROZEN_AFTER_MS
}

interface Health {
  readonly state: ReplicaState
  /**
   * The lowest rank is best; a replica receives requests only while no replica has a lower rank. Undefined: the replica
   * receives no requests, requests wait. A busy or draining replica responds; a frozen one keeps the connection and is
   * silent, and where no process listens, or before a process is ready, a request can only fail.
   */
  readonly rank: number | undefined
}

const READY: Health = { state: 'ready', rank: 0 }
/** A busy process, or the first second of a frozen one. */
const SLOW: Health = { state: 'ready', rank: 1 }
const RESTING: Health = { state: 'resting', rank: 2 }
const DRAINING: Health = { state: 'not-ready', rank: 3 }
const LATE_AT_FIRST: Health = { state: 'waiting', rank: 4 }
const FROZEN: Health = { state: 'failed', rank: undefined }
const RESTING_REFUSED: Health = { state: 'resting', rank: undefined }
const REFUSED: Health = { state: 'failed', rank: undefined }
const WAITING: Health = { state: 'waiting', rank: undefined }
const NOT_READY: Health = { state: 'not-ready', rank: undefined }

/** The health of a replica at a time of the same clock as `pausedUntil`. */
export function healthOf(state: MemberState, now: number): Health {
  const { probed, isLate, isSilent, pausedUntil, isRefused, readyAt } = state
  if (probed === 'not-ready') return NOT_READY
  if (probed === 'refused') return readyAt === undefined ? WAITING : REFUSED
  if (isRefused) return RESTING_REFUSED
  if (probed === undefined) return isLate && !isQuiet(state, now) ? LATE_AT_FIRST : WAITING
  // A process that drains and is silent has most likely exited, and its container with it.
  if (probed === 'draining') return isLate && isSilent ? NOT_READY : DRAINING
  if (isLate && isQuiet(state, now)) return FROZEN
  if (pausedUntil > now) return RESTING
  return isLate && isSilent ? SLOW : READY
}

/** The share of requests that a replica receives of what one receives that is ready for long (slow start). */
export function weightOf({ readyAt }: MemberState, now: number): number {
  if (readyAt === undefined) return 1
  return Math.min(1, Math.max(FIRST_WEIGHT, (now - readyAt) / SLOW_START_MS))
}

/**
 * Whether the replica responds to requests now: also one that drains, one that rests, and one whose last probe was late. A
 * frozen one, and one that never responded, do not.
 */
export function isServing(state: MemberState, now: number): boolean {
  const { rank } = healthOf(state, now)
  return rank !== undefined && rank < LEAST_SERVING_RANK
}

const LEAST_SERVING_RANK = 4

/** Whether the replica refuses connections, by its last probe or a later request. */
export function refusesConnections({ probed, isRefused }: MemberState): boolean {
  return probed === 'refused' || (isRefused && probed !== 'not-ready')
}
