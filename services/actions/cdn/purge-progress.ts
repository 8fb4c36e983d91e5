// The interface of the state store's part of purges at a CDN (C6): how far they are, and which replica sends them.

import type { PurgeProgress } from './plan-purge.ts'

/** Longer than a request to the CDN and the pause before it: each saved step renews the lease. */
export const LEASE_MS = 30_000

/** Of one replica. All methods reject while the store is unavailable. */
export interface PurgeProgressStore {
  /** Takes or renews the lease. Undefined: another replica holds it. `progress` is undefined before the first purge. */
  claim(): Promise<{ progress: PurgeProgress | undefined } | undefined>
  /** Saves and renews the lease; false: another replica holds the lease. */
  save(progress: PurgeProgress): Promise<boolean>
  /** Ends the lease, if this replica holds it. */
  release(): Promise<void>
  close(): void
}
