// Runs a submission once (A5): the first arrival runs and holds a lease while it runs (A9), later arrivals wait and get
// the first response. Independent of HTTP and of the content of responses.

import { randomBytes } from 'node:crypto'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { IDEMPOTENCY_BODY_KEEP_MS, LEASE_MS } from '@portico/shared/wire/constants.ts'
import type { Clock } from '../clock.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import type { BeginResult, Holder, Kept, SubmissionStore } from './store/store.ts'

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
  /** Ends the wait for another arrival's response, but not a run of this arrival. */
  signal: AbortSignal
}

/** The result for this arrival, and the stored result for later arrivals. */
export interface Run<T> {
  result: T
  /** Undefined when the handler did not run, so that the next arrival runs. */
  kept: Kept | undefined
}

export type OnceResult<T> =
  | { kind: 'ran'; result: T }
  | { kind: 'repeated'; kept: Kept }
  /** The key was used for another body. */
  | { kind: 'other-body' }
  /** The owner died: the effect is unknown. */
  | { kind: 'unknown' }
  /** The first arrival still runs. */
  | { kind: 'late' }
  /** The state store is unavailable or full; the submission did not run. */
  | { kind: 'unavailable' }

export type SubmitOnce = <T>(submission: Submission, run: () => Promise<Run<T>>) => Promise<OnceResult<T>>

/** Pauses between reads of another arrival's record; the last pause repeats. */
const WAIT_PAUSES_MS: readonly number[] = [20, 40, 80, 160, 250]
/** Pauses before attempts to abandon a record that a failed command may have written. */
const ABANDON_PAUSES_MS: readonly number[] = [500, 1000, 2000, 4000]

export interface SubmitOnceDeps {
  store: SubmissionStore
  clock: Clock
  log: Log
  /** The store had no room for a submission. */
  onRefused: () => void
}

export function createSubmitOnce({ store, clock, log, onRefused }: SubmitOnceDeps): SubmitOnce {
  // One random name per process and a counter: as unique as a random token per run, and much cheaper.
  const processName = randomBytes(12).toString('base64url')
  let runs = 0
  const holdLease = createLeaseKeeper(store, clock, log)
  const begin = (submission: Submission, owner: string): Promise<BeginResult> => {
    const { id, otherIds, fingerprint, holder, keepMs, safeToRepeat: takeOver } = submission
    return store.begin(id, { otherIds, fingerprint, owner, holder, leaseMs: LEASE_MS, keepMs, takeOver })
  }

  /** Redis may have run a command that timed out: the submission did not run, so its record must not remain. */
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

  const runOwned = async <T>(submission: Submission, owner: string, run: () => Promise<Run<T>>) => {
    const release = holdLease({ id: submission.id, owner, keepMs: submission.keepMs })
    try {
      const { result, kept } = await run()
      await settle(submission, owner, kept)
      return { kind: 'ran', result } as const
    } finally {
      release()
    }
  }

  const settle = async ({ id, keepMs }: Submission, owner: string, kept: Kept | undefined): Promise<void> => {
    try {
      if (kept === undefined) await store.abandon(id, owner)
      else if (!(await store.finish(id, owner, kept, { keepMs, bodyKeepMs: IDEMPOTENCY_BODY_KEEP_MS })))
        log.warn({ event: 'lease-lost' }, 'response not stored')
    } catch (error) {
      // The submission ran, and the client gets the response. A repeat gets `unknown`.
      log.error({ error }, 'response of a submission not stored')
    }
  }

  /** The submission has no record: nothing may run, unless its action was declared best-effort. */
  const withoutRecord = async <T>(submission: Submission, run: () => Promise<Run<T>>): Promise<OnceResult<T>> =>
    submission.bestEffort ? { kind: 'ran', result: (await run()).result } : { kind: 'unavailable' }

  return async function submitOnce<T>(submission: Submission, run: () => Promise<Run<T>>): Promise<OnceResult<T>> {
    const owner = `${processName}.${runs++}`
    const startedAt = clock.now()
    for (let turn = 0; ; turn++) {
      let found: BeginResult
      try {
        found = await begin(submission, owner)
      } catch (error) {
        void abandonLater(submission.id, owner)
        log.warn({ error }, 'submission without a record: state store unavailable')
        return withoutRecord(submission, run)
      }
      if (found.kind === 'started') return runOwned(submission, owner, run)
      if (found.kind === 'full') {
        onRefused()
        log.warn({ event: 'submissions-full' }, 'submission without a record: state store full')
        return withoutRecord(submission, run)
      }
      if (found.fingerprint !== submission.fingerprint) return { kind: 'other-body' }
      if (found.kind === 'finished') return { kind: 'repeated', kept: found.kept }
      if (found.kind === 'lost') return { kind: 'unknown' }
      if (submission.signal.aborted || clock.now() - startedAt >= submission.waitMs) return { kind: 'late' }
      const pauseMs = WAIT_PAUSES_MS[Math.min(turn, WAIT_PAUSES_MS.length - 1)] ?? 250
      await clock.sleep(pauseMs, submission.signal)
    }
  }
}
