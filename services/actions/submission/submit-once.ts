// Runs a submission once (A5): the first arrival runs and holds a lease while it runs (A9), later arrivals wait and get
// the first response. While the state store is away a submission waits for it, within bounds of number and bytes (E7):
// nothing has run yet. One timer renews all leases. Independent of HTTP and of the content of responses.

import { randomBytes } from 'node:crypto'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import {
  FIRST_READY_WAIT_MS,
  FIRST_READY_WAITERS,
  IDEMPOTENCY_BODY_KEEP_MS,
  LEASE_MS,
  LEASE_RENEW_MS,
  WAITING_BODIES_BYTES,
} from '@portico/shared/wire/constants.ts'
import type { Clock } from '../clock.ts'
import type { BeginResult, Holder, Kept, SubmissionStore } from '../store/store.ts'

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

function pauseOf(turn: number): number {
  return WAIT_PAUSES_MS[Math.min(turn, WAIT_PAUSES_MS.length - 1)] ?? 250
}

function createBegin(deps: BeginDeps) {
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

interface Lease {
  id: string
  owner: string
  keepMs: number
}

export function createLeaseKeeper(store: SubmissionStore, clock: Clock, log: Log) {
  const held = new Set<Lease>()
  let isWaiting = false

  const renew = async (lease: Lease): Promise<void> => {
    try {
      const isOurs = await store.renew(lease.id, lease.owner, LEASE_MS, lease.keepMs)
      if (!isOurs && held.has(lease)) log.warn({ event: 'lease-lost' }, 'running submission lost its lease')
    } catch (error) {
      log.warn({ error }, 'lease not renewed')
    }
  }

  /** Each tick renews all held leases, so that each first renewal is within LEASE_RENEW_MS of the lease's start. */
  const wait = (): void => {
    if (isWaiting || held.size === 0) return
    isWaiting = true
    clock.after(LEASE_RENEW_MS, () => {
      isWaiting = false
      for (const lease of held) void renew(lease)
      wait()
    })
  }

  /** Keeps renewing a lease that has just begun. The returned function ends the renewals. */
  return function hold(given: Lease): () => void {
    // A new object, because the set compares by identity.
    const lease = { ...given }
    held.add(lease)
    wait()
    return () => void held.delete(lease)
  }
}

interface WaitingRoom {
  /** Takes a place. The returned function, called once, leaves it. Undefined: no place is left. */
  enter(bytes: number): (() => void) | undefined
}

export function createWaitingRoom(most = FIRST_READY_WAITERS, mostBytes = WAITING_BODIES_BYTES): WaitingRoom {
  let count = 0
  let held = 0
  return {
    enter(bytes) {
      if (count >= most || held + bytes > mostBytes) return undefined
      count++
      held += bytes
      return () => {
        count--
        held -= bytes
      }
    },
  }
}
