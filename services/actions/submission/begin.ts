// Begins a submission (A5). While the state store is away the submission waits for it (A9, E7): nothing has run yet.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { FIRST_READY_WAIT_MS, LEASE_MS } from '@portico/shared/wire/constants.ts'
import type { Clock } from '../clock.ts'
import type { BeginResult, Holder, SubmissionStore } from './store/store.ts'
import { createWaitingRoom, type WaitingRoom } from './waiting-room.ts'

export interface Submission {
  /** Record id: action, client and key, hashed. */
  id: string
  /** Ids of the records that an earlier arrival with other cookies may have created. */
  otherIds: readonly string[]
  fingerprint: string
  /** Whose budgets the record counts against. */
  holder: Holder
  keepMs: number
  safeToRepeat: boolean
  /** Runs without a record while the store is unavailable. */
  bestEffort: boolean
  /** Longest wait for another arrival's response. */
  waitMs: number
  /** Size of the submission in memory. */
  bytes: number
  /** Ends the waits for the store and for another arrival's response, but not a run of this arrival. */
  signal: AbortSignal
}

export interface BeginDeps {
  store: SubmissionStore
  clock: Clock
  log: Log
  /** For a store that is away: the longest wait, and the places of submissions that wait. */
  storeWaitMs?: number
  room?: WaitingRoom
}

/** Pauses between reads of another arrival's record, and between calls of a store that is away; the last repeats. */
const WAIT_PAUSES_MS: readonly number[] = [20, 40, 80, 160, 250]
/** Pauses before attempts to abandon a record that a failed command may have written. */
const ABANDON_PAUSES_MS: readonly number[] = [500, 1000, 2000, 4000]

export function pauseOf(turn: number): number {
  return WAIT_PAUSES_MS[Math.min(turn, WAIT_PAUSES_MS.length - 1)] ?? 250
}

export function createBegin(deps: BeginDeps) {
  const { store, clock, log, storeWaitMs = FIRST_READY_WAIT_MS, room = createWaitingRoom() } = deps

  const beginNow = (submission: Submission, owner: string): Promise<BeginResult> => {
    const { id, otherIds, fingerprint, holder, keepMs, safeToRepeat: takeOver } = submission
    return store.begin(id, { otherIds, fingerprint, owner, holder, leaseMs: LEASE_MS, keepMs, takeOver })
  }

  /** A best-effort submission runs without a record, and does not wait. */
  const mayWait = ({ bestEffort, signal }: Submission, since: number, error: unknown): boolean =>
    !bestEffort && store.mayRecover?.(error) === true && clock.now() - since < storeWaitMs && !signal.aborted

  /** Redis may have run a command that timed out: the record of a submission that may run must not remain. */
  const abandonLater = async (id: string, owner: string): Promise<void> => {
    for (const pauseMs of ABANDON_PAUSES_MS) {
      await clock.sleep(pauseMs)
      try {
        return await store.abandon(id, owner)
      } catch {
        // The store is still unavailable: tries again after the next pause; after the last pause the lease expires.
      }
    }
  }

  /**
   * Every call has the same owner: a record that a call without a reply has written is found as the record of this
   * arrival, so the submission runs once. Undefined: there is no record.
   */
  const begin = async (submission: Submission, owner: string): Promise<BeginResult | undefined> => {
    const since = clock.now()
    let leave: (() => void) | undefined
    try {
      for (let turn = 0; ; turn++) {
        try {
          return await beginNow(submission, owner)
        } catch (error) {
          const waits = mayWait(submission, since, error)
          if (waits) leave ??= room.enter(submission.bytes)
          if (!waits || !leave) {
            void abandonLater(submission.id, owner)
            log.warn({ error }, 'submission without a record: state store unavailable')
            return undefined
          }
        }
        await clock.sleep(pauseOf(turn), submission.signal)
      }
    } finally {
      leave?.()
    }
  }
  return { begin, abandonLater }
}
