// The interface of stores for submissions (A5, A9), implemented by SQLite, in a file or in memory, and by Redis;
// testing/submission-store-contract.ts tests the contract. Times are durations: each store uses its own clock, so the
// clocks of replicas may differ.
//
// A record is a small row (hash, status, location) and for a shorter time the sealed response, its body. Both count
// against three budgets: of the client, of its address, and of the store. Over a budget records are dropped in this
// order:
//   1. the oldest finished bodies, then the oldest finished rows, of the client, of the address, or (over the budget of
//      the store) of the address that holds most;
//   2. for a new body, rows only of another address, if that address holds most;
//   3. rows of running submissions never: `begin` is refused when nothing else can be dropped.

import { createDerived, type Keyring } from '@portico/shared/kit/secrets/keyring.ts'
import { deriveKeys, seal, unseal } from '@portico/shared/kit/secrets/seal.ts'
import {
  IDEMPOTENCY_ADDRESS_BUDGET_BYTES,
  IDEMPOTENCY_BODY_OVERHEAD_BYTES,
  IDEMPOTENCY_BUDGET_BYTES,
  IDEMPOTENCY_CLIENT_BUDGET_BYTES,
  IDEMPOTENCY_ROW_BYTES,
} from '@portico/shared/wire/constants.ts'

/** Whose budgets a record counts against; both are hashes. */
export interface Holder {
  client: string
  address: string
}

export interface BeginOptions {
  /** Hash of the submitted body; a record is repeated only for an equal hash. */
  fingerprint: string
  /** Token of this run; only its holder renews, finishes or abandons. */
  owner: string
  holder: Holder
  leaseMs: number
  /** How long the record remains after the lease has expired. */
  keepMs: number
  /** Takes over a record whose owner died (`safeToRepeat`). */
  takeOver: boolean
  /** Other records of the same submission, which an earlier arrival may have created: one that exists is reported. */
  otherIds?: readonly string[]
}

/** The stored result of a finished submission. */
export interface Kept {
  status: number
  location?: string
  /** The response to repeat; undefined when the response was too large or was dropped. */
  body?: string
}

export type BeginResult =
  /** The caller owns the record now and must run the action. */
  | { kind: 'started' }
  /** Another owner runs the submission and renews the lease. */
  | { kind: 'running'; fingerprint: string }
  | { kind: 'finished'; fingerprint: string; kept: Kept }
  /** The owner died while the submission ran: its effect is unknown. */
  | { kind: 'lost'; fingerprint: string }
  /** No room, and nothing that may be dropped. */
  | { kind: 'full' }

export interface KeepTimes {
  /** Time of the row. */
  keepMs: number
  /** Time of the body, at most `keepMs`. */
  bodyKeepMs: number
}

export interface SubmissionStore {
  /**
   * Creates the record, or returns the state of the existing record, or of one of `otherIds`. Atomic: one of two
   * simultaneous callers starts. A call whose reply was lost may be made again with the same owner: while the record of
   * the owner is not finished, the owner starts.
   */
  begin(id: string, options: BeginOptions): Promise<BeginResult>
  /** Whether a call that was rejected with this error may succeed soon. Absent: never. */
  mayRecover?(error: unknown): boolean
  /** Prolongs the lease; false when the caller is not the owner any more. */
  renew(id: string, owner: string, leaseMs: number, keepMs: number): Promise<boolean>
  /** Stores the result of the submission; false when the caller is not the owner any more. */
  finish(id: string, owner: string, kept: Kept, times: KeepTimes): Promise<boolean>
  /** Removes a record whose submission did not run; does nothing when the caller is not the owner. */
  abandon(id: string, owner: string): Promise<void>
  /** Removes expired records, and returns the counted bytes of all records. */
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
/** The budget that was exceeded. */
export type DropReason = keyof Budgets

/** Reported to metrics. */
export interface StoreEvents {
  onKept(part: RecordPart): void
  onDropped(part: RecordPart, reason: DropReason): void
}

/** Limit of parts dropped by one call: more than one new record needs, and a bound for the time of a call. */
export const MOST_DROPPED = 256
/** Limit of expired records removed by one call: more than one submission creates, so they do not accumulate. */
export const SWEPT_PER_CALL = 64

/** The counted bytes of a row: the measured memory that Redis allocates. SQLite needs less, and counts the same. */
export function rowCharge(location: string | null | undefined): number {
  return IDEMPOTENCY_ROW_BYTES + Buffer.byteLength(location ?? '')
}

/** Allocators have four sizes in each power of two, so up to a fifth of the allocated bytes is unused. */
export function bodyCharge(sealed: Uint8Array): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(sealed.length)) - 2)
  return Math.ceil(sealed.length / step) * step + IDEMPOTENCY_BODY_OVERHEAD_BYTES
}

/** Encrypts stored responses: responses contain cookies, which a copy of the store must not reveal. */
export type Seal = ReturnType<typeof createSeal>

const PURPOSE = 'portico submission response'

/**
 * Seals with the current secret and opens with all accepted ones: older responses are readable after a rotation.
 */
export function createSeal(keyring: Keyring) {
  const keys = createDerived(keyring, (secrets) => deriveKeys(secrets, PURPOSE))
  return {
    /**
     * Encrypts the text for the record of this id. SECURITY: a response that was moved to another client's record is not
     * readable. A keyring is never empty.
     */
    close: (id: string, text: string): Uint8Array => seal(keys()[0]!, id, text),
    /** The text; undefined unless the text was sealed for this id: the response counts as dropped, and the row remains. */
    open: (id: string, sealed: Uint8Array): string | undefined => unseal(keys(), id, sealed)?.text,
  }
}
