// The port behind which submissions are remembered (A5, A9). SQLite, in a file or in memory, and Redis implement it;
// testing/submission-store-contract.ts holds what all of them must do. Times are durations: each store uses its own clock,
// so replicas' clocks need not agree.
//
// A record is a small row (hash, status, location) and for a shorter time the sealed response, its body. Both count
// against three budgets: of the client, of its address, and of the store. What is over a budget is dropped in one order:
//   1. the oldest finished bodies, then the oldest finished rows, of the client, the address, or (when the store is full)
//      of the address that holds most;
//   2. to keep one more body, rows are dropped only of another address that holds most;
//   3. rows of running submissions are never dropped; when nothing can be dropped, `begin` is refused.

import {
  IDEMPOTENCY_ADDRESS_BUDGET_BYTES,
  IDEMPOTENCY_BUDGET_BYTES,
  IDEMPOTENCY_CLIENT_BUDGET_BYTES,
} from '../../shared/wire/constants.ts'

/** Whose budgets a record counts against; both are hashes. */
export interface Holder {
  client: string
  address: string
}

export interface BeginOptions {
  /** Hash of what was submitted; a record responds only to the same. */
  fingerprint: string
  /** Token of this run; only its holder renews, finishes or abandons. */
  owner: string
  holder: Holder
  leaseMs: number
  /** How long the record stays once the lease has run out. */
  keepMs: number
  /** Takes over a record whose owner died (`safeToRepeat`). */
  takeOver: boolean
}

/** What a finished submission leaves. */
export interface Kept {
  status: number
  location?: string
  /** The response to repeat; absent when it was too large, or dropped since. */
  body?: string
}

export type BeginResult =
  /** The caller owns the record now and must run the action. */
  | { kind: 'started' }
  /** Another owner runs it and is alive. */
  | { kind: 'running'; fingerprint: string }
  | { kind: 'finished'; fingerprint: string; kept: Kept }
  /** Its owner died while running: what it did is unknown. */
  | { kind: 'lost'; fingerprint: string }
  /** No room, and nothing that may be dropped. */
  | { kind: 'full' }

export interface KeepTimes {
  /** Of the row. */
  keepMs: number
  /** Of the body, at most `keepMs`. */
  bodyKeepMs: number
}

export interface SubmissionStore {
  /** Creates the record, or reports what is there. Atomic: of two callers at once one starts. */
  begin(id: string, options: BeginOptions): Promise<BeginResult>
  /** Prolongs the lease; false when the caller is not the owner any more. */
  renew(id: string, owner: string, leaseMs: number, keepMs: number): Promise<boolean>
  /** Keeps what the submission left; false when the caller is not the owner any more. */
  finish(id: string, owner: string, kept: Kept, times: KeepTimes): Promise<boolean>
  /** Removes a record of which nothing was run; does nothing when the caller is not the owner. */
  abandon(id: string, owner: string): Promise<void>
  /** Removes what is out of date, and returns the bytes that all records count for. */
  usage(): Promise<number>
  /** Rejects when the store cannot be used now. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** In bytes. */
export interface Budgets {
  client: number
  address: number
  total: number
}

export const BUDGETS: Budgets = {
  client: IDEMPOTENCY_CLIENT_BUDGET_BYTES,
  address: IDEMPOTENCY_ADDRESS_BUDGET_BYTES,
  total: IDEMPOTENCY_BUDGET_BYTES,
}

export type RecordPart = 'row' | 'body'
/** The budget that a dropped part was over. */
export type DropReason = keyof Budgets

/** Reported to metrics. */
export interface StoreEvents {
  onKept(part: RecordPart): void
  onDropped(part: RecordPart, reason: DropReason): void
}

/** Parts dropped by one call at most: more than one new record needs, and a bound on the time that a call takes. */
export const MOST_DROPPED = 256
/** Out-of-date records removed by one call at most: more than one submission leaves, so they do not pile up. */
export const SWEPT_PER_CALL = 64
