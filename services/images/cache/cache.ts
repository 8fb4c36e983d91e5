// The interface of everything that keeps variants, and the budget that a request has for asking (I5, O6).

import type { Variant } from '../variant.ts'

/** Time that one request may spend on all cache commands together (O6). */
const STORE_BUDGET_MS = 50

/** What is left of a request's time for the store; made once a request and handed through all its commands. */
export interface Budget {
  leftMs(): number
  spend(milliseconds: number): void
}

/**
 * Keeps variants beyond the memory of one process. No method rejects: whatever goes wrong is a miss, counted by the
 * implementation.
 */
export interface VariantStore {
  readonly name: 'memory' | 'disk' | 'redis'
  /** Other replicas write to it too, so it may hold newer variants than this process knows. */
  readonly shared: boolean
  /** One answer per key, in order; undefined for each that is not there, damaged, or late. */
  getMany(keys: readonly string[], budget: Budget): Promise<(Variant | undefined)[]>
  /** Resolves to whether it was kept. `keepMs` counts from now. */
  set(variant: Variant, keepMs: number): Promise<boolean>
  delete(key: string): Promise<void>
  /** Writes and reads back something small; tells whether the store answers now (O4). */
  probe(): Promise<boolean>
  close(): Promise<void>
}

/** Time that passes between commands is not counted: only what was waited for the store. */
export function createBudget(milliseconds: number = STORE_BUDGET_MS): Budget {
  let left = milliseconds
  return {
    leftMs: () => left,
    spend(waited) {
      left = Math.max(0, left - waited)
    },
  }
}
