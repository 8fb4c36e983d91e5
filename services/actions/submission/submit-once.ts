// Runs a submission once (A5): the first arrival runs and holds a lease while it runs (A9), later arrivals wait and get
// the first response. Independent of HTTP and of the content of responses.

import { randomBytes } from 'node:crypto'
import { IDEMPOTENCY_BODY_KEEP_MS } from '@portico/shared/wire/constants.ts'
import { type BeginDeps, createBegin, pauseOf, type Submission } from './begin.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import type { Kept } from './store/store.ts'

/** The result for this arrival, and the stored result for later arrivals. */
export interface Run<T> {
  result: T
  /** Undefined when the handler did not run, so that the next arrival runs. */
  kept: Kept | undefined
  /** Time of the record from the end of the run; absent: that of the submission. After a shorter time a repeat may run. */
  keepMs?: number
}

type OnceResult<T> =
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

interface SubmitOnceDeps extends BeginDeps {
  /** The store had no room for a submission. */
  onRefused: () => void
}

export function createSubmitOnce(deps: SubmitOnceDeps): SubmitOnce {
  const { store, clock, log, onRefused } = deps
  // One random name per process and a counter: as unique as a random token per run, and much cheaper.
  const processName = randomBytes(12).toString('base64url')
  let runs = 0
  const holdLease = createLeaseKeeper(store, clock, log)
  const { begin, abandonLater } = createBegin(deps)

  const runOwned = async <T>(submission: Submission, owner: string, run: () => Promise<Run<T>>) => {
    const release = holdLease({ id: submission.id, owner, keepMs: submission.keepMs })
    try {
      const ended = await run()
      await settle(submission, owner, ended)
      return { kind: 'ran', result: ended.result } as const
    } finally {
      release()
    }
  }

  const settle = async (submission: Submission, owner: string, { kept, keepMs }: Run<unknown>): Promise<void> => {
    const { id } = submission
    const times = { keepMs: keepMs ?? submission.keepMs, bodyKeepMs: IDEMPOTENCY_BODY_KEEP_MS }
    try {
      if (kept === undefined) await store.abandon(id, owner)
      else if (!(await store.finish(id, owner, kept, times))) log.warn({ event: 'lease-lost' }, 'response not stored')
    } catch (error) {
      // The submission ran, and the client gets the response. A repeat gets `unknown`.
      log.error({ error }, 'response of a submission not stored')
      // A repeat may run after a run that did nothing, and after a response that is kept for a short time.
      if (kept === undefined) void abandonLater(id, owner)
      else if (keepMs !== undefined) void clock.sleep(keepMs).then(() => abandonLater(id, owner))
    }
  }

  /** The submission has no record: nothing may run, unless its action was declared best-effort. */
  const withoutRecord = async <T>(submission: Submission, run: () => Promise<Run<T>>): Promise<OnceResult<T>> =>
    submission.bestEffort ? { kind: 'ran', result: (await run()).result } : { kind: 'unavailable' }

  return async function submitOnce<T>(submission: Submission, run: () => Promise<Run<T>>): Promise<OnceResult<T>> {
    const owner = `${processName}.${runs++}`
    const startedAt = clock.now()
    for (let turn = 0; ; turn++) {
      const found = await begin(submission, owner)
      if (!found) return withoutRecord(submission, run)
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
      await clock.sleep(pauseOf(turn), submission.signal)
    }
  }
}
