// The interface of all stores of variants, and the time budget of a request for store commands (I5, O6).

import type { Variant } from './variant.ts'

/** Time that one request may spend on all cache commands together (O6). */
const STORE_BUDGET_MS = 50

/** The remaining time of a request for the store; created once per request and passed to all its commands. */
export interface Budget {
  leftMs(): number
  spend(milliseconds: number): void
}

/**
 * Stores variants. No method rejects: every fault is a miss.
 */
export interface VariantStore {
  /** Other replicas write to the store too, so the store may hold newer variants than this process has. */
  readonly shared: boolean
  /** One result per key, in order; undefined for a variant that is missing, damaged or late. */
  getMany(keys: readonly string[], budget: Budget): Promise<(Variant | undefined)[]>
  /** Resolves to whether the variant was stored. `keepMs` counts from now. */
  set(variant: Variant, keepMs: number): Promise<boolean>
  delete(key: string): Promise<void>
  /** Resolves to whether the store responds now (O4). */
  probe(): Promise<boolean>
  close(): Promise<void>
}

/** Only time spent waiting for the store counts, not time between commands. */
export function createBudget(milliseconds: number = STORE_BUDGET_MS): Budget {
  let left = milliseconds
  return {
    leftMs: () => left,
    spend(waited) {
      left = Math.max(0, left - waited)
    },
  }
}
