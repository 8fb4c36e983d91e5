// Runs a submission once (A5): the first arrival runs and holds a lease while it does (A9), later ones wait and get the
// first answer. Knows nothing of HTTP or of what an answer holds.

import { randomBytes } from 'node:crypto'
import type { Log } from '../../shared/node/log.ts'
import { LEASE_MS } from '../../shared/wire/constants.ts'
import type { Clock } from '../clock.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import type { BeginResult, SubmissionStore } from './store.ts'

export interface Submission {
  /** Record id: action, visitor and key, hashed. */
  id: string
  fingerprint: string
  keepMs: number
  safeToRepeat: boolean
  /** Runs without a record while the store is away. */
  bestEffort: boolean
  /** Longest wait for another arrival's answer. */
  waitMs: number
  /** Ends the wait for another arrival's answer, not a run of its own. */
  signal: AbortSignal
}

/** What a run leaves: the answer for this arrival, and what later ones get. */
export interface Run<T> {
  result: T
  /** Text for the record; undefined when nothing was done, so that the next arrival runs. */
  answer: string | undefined
}

export type OnceResult<T> =
  | { kind: 'ran'; result: T }
  | { kind: 'repeated'; answer: string }
  /** The key was used for another body. */
  | { kind: 'other-body' }
  /** The owner died: nobody knows what was done. */
  | { kind: 'unknown' }
  /** The first arrival still runs. */
  | { kind: 'late' }
  /** The state store is away; nothing was run. */
  | { kind: 'unavailable' }

export type SubmitOnce = <T>(submission: Submission, run: () => Promise<Run<T>>) => Promise<OnceResult<T>>

/** Pauses between looks at another arrival's record; the last one repeats. */
const WAIT_PAUSES_MS: readonly number[] = [20, 40, 80, 160, 250]
/** Pauses before a record is given up that may have been written by a command that seemed to fail. */
const ABANDON_PAUSES_MS: readonly number[] = [500, 1000, 2000, 4000]

export interface SubmitOnceDeps {
  store: SubmissionStore
  clock: Clock
  log: Log
}

export function createSubmitOnce({ store, clock, log }: SubmitOnceDeps): SubmitOnce {
  // One random name per process and a count: as unlike any other owner as a random token for each, and much cheaper.
  const processName = randomBytes(12).toString('base64url')
  let runs = 0
  const holdLease = createLeaseKeeper({ store, clock, log })
  const begin = (submission: Submission, owner: string): Promise<BeginResult> =>
    store.begin(submission.id, {
      fingerprint: submission.fingerprint,
      owner,
      leaseMs: LEASE_MS,
      keepMs: submission.keepMs,
      takeOver: submission.safeToRepeat,
    })

  /** A command that timed out may still have been carried out: nothing ran, so its record must not stay. */
  const abandonLater = async (id: string, owner: string): Promise<void> => {
    for (const pauseMs of ABANDON_PAUSES_MS) {
      await clock.sleep(pauseMs)
      try {
        return await store.abandon(id, owner)
      } catch {
        // Still away: the next pause is longer; the lease ends it at last.
      }
    }
  }

  const runOwned = async <T>(submission: Submission, owner: string, run: () => Promise<Run<T>>) => {
    const letGo = holdLease({ id: submission.id, owner, keepMs: submission.keepMs })
    try {
      const { result, answer } = await run()
      await settle(submission, owner, answer)
      return { kind: 'ran', result } as const
    } finally {
      letGo()
    }
  }

  const settle = async ({ id, keepMs }: Submission, owner: string, answer: string | undefined): Promise<void> => {
    try {
      if (answer === undefined) await store.abandon(id, owner)
      else if (!(await store.finish(id, owner, answer, keepMs)))
        log.warn({ event: 'lease-lost' }, 'an answer was not kept')
    } catch (error) {
      // It ran: the visitor gets the answer. A repeat will be told that the outcome is unknown.
      log.error({ error }, 'the answer of a submission could not be kept')
    }
  }

  return async function submitOnce<T>(submission: Submission, run: () => Promise<Run<T>>): Promise<OnceResult<T>> {
    const owner = `${processName}.${runs++}`
    const startedAt = clock.now()
    for (let turn = 0; ; turn++) {
      let found: BeginResult
      try {
        found = await begin(submission, owner)
      } catch (error) {
        void abandonLater(submission.id, owner)
        if (!submission.bestEffort) {
          log.warn({ error }, 'a submission was refused: the state store is away')
          return { kind: 'unavailable' }
        }
        return { kind: 'ran', result: (await run()).result }
      }
      if (found.kind === 'started') return runOwned(submission, owner, run)
      if (found.fingerprint !== submission.fingerprint) return { kind: 'other-body' }
      if (found.kind === 'finished') return { kind: 'repeated', answer: found.answer }
      if (found.kind === 'lost') return { kind: 'unknown' }
      if (submission.signal.aborted || clock.now() - startedAt >= submission.waitMs) return { kind: 'late' }
      const pauseMs = WAIT_PAUSES_MS[Math.min(turn, WAIT_PAUSES_MS.length - 1)] ?? 250
      await clock.sleep(pauseMs, submission.signal)
    }
  }
}
