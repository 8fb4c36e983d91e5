// The port behind which submissions are remembered (A5, A9). Memory, SQLite and Redis implement it;
// testing/submission-store-contract.ts holds what all of them must do. Times are durations: each store uses its own clock, so replicas' clocks need not agree.

export interface BeginOptions {
  /** Hash of what was submitted; a record answers only for the same. */
  fingerprint: string
  /** Token of this run; only its holder renews, finishes or abandons. */
  owner: string
  leaseMs: number
  /** How long the record stays once the lease has run out. */
  keepMs: number
  /** Takes over a record whose owner died (`safeToRepeat`). */
  takeOver: boolean
}

export type BeginResult =
  /** The caller owns the record now and must run the action. */
  | { kind: 'started' }
  /** Another owner runs it and is alive. */
  | { kind: 'running'; fingerprint: string }
  | { kind: 'finished'; fingerprint: string; answer: string }
  /** Its owner died while running: nobody knows what was done. */
  | { kind: 'lost'; fingerprint: string }

export interface SubmissionStore {
  /** Creates the record, or tells what is there. Atomic: of two callers at once one starts. */
  begin(id: string, options: BeginOptions): Promise<BeginResult>
  /** Prolongs the lease; false when the caller is not the owner any more. */
  renew(id: string, owner: string, leaseMs: number, keepMs: number): Promise<boolean>
  /** Keeps the answer for `keepMs`; false when the caller is not the owner any more. */
  finish(id: string, owner: string, answer: string, keepMs: number): Promise<boolean>
  /** Forgets a record of which nothing was run; does nothing when the caller is not the owner. */
  abandon(id: string, owner: string): Promise<void>
  /** Rejects when the store cannot be used now. */
  ping(): Promise<void>
  close(): Promise<void>
}
