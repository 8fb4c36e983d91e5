// The known facts of a replica, and the health that follows for the choice (G2). Pure: callers pass the time.

import type { ProbeResult } from './replica-probe.ts'

/** Failed probes in a row before a replica counts as failed: one lost probe changes nothing. */
const PROBE_FAILURES = 2

/** `waiting`: not probed yet. `resting`: responds to probes but failed requests. */
export type ReplicaState = 'ready' | 'waiting' | 'not-ready' | 'resting' | 'failed'

export interface ReplicaFacts {
  /** Result of the last probe that counts; undefined before the first. */
  readonly probed: ProbeResult | undefined
  readonly probeFailures: number
  /** The replica failed requests and receives no requests until this time. */
  readonly pausedUntil: number
  /** The replica refused a request's connection, and no later probe found the replica ready. */
  readonly isRefused: boolean
}

export interface Health {
  state: ReplicaState
  /**
   * The lowest rank is best; a replica receives requests only while no replica has a lower rank. Undefined: the replica
   * receives no requests, requests wait. A frozen or busy replica accepts connections and may still respond; where no
   * process listens, or where the replica itself reports that it is not ready, a request can only fail.
   */
  rank: number | undefined
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
export function healthOf({ probed, probeFailures, pausedUntil, isRefused }: ReplicaFacts, now: number): Health {
  if (probed === 'not-ready') return NOT_READY
  if (probeFailures >= PROBE_FAILURES) return probed === 'refused' ? REFUSED : LATE
  if (pausedUntil > now) return isRefused ? RESTING_REFUSED : RESTING
  if (probed === 'ready') return READY
  return probed === 'failed' ? LATE_ONCE : WAITING
}

/** The facts after a probe. `isLater`: the probe began after the last refused connection. */
export function probedFacts(
  facts: Pick<ReplicaFacts, 'probed' | 'probeFailures' | 'isRefused'>,
  result: ProbeResult,
  isLater: boolean,
): Pick<ReplicaFacts, 'probed' | 'probeFailures' | 'isRefused'> {
  const { probed, probeFailures, isRefused } = facts
  if (result === 'ready') return { probed: result, probeFailures: 0, isRefused: isRefused && !isLater }
  if (result === 'not-ready') return { probed: result, probeFailures: 0, isRefused }
  const failures = probeFailures + 1
  const isKept = probed !== undefined && failures < PROBE_FAILURES
  return { probed: isKept ? probed : result, probeFailures: failures, isRefused }
}
