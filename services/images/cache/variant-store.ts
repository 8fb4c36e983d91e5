// The interface of all stores of variants and of the lock for work, the time budget of a request for store commands
// (I5, O6), and the binary form of a variant in Redis and on disk: magic, CRC-32, length of the JSON header, header,
// body.

import { crc32 } from 'node:zlib'
import type { Variant, VariantMeta } from '../variant/variant.ts'

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

export type LockResult =
  /** This replica does the work, and must call `release` after it has stored the result. */
  | { kind: 'mine'; release: () => Promise<void> }
  /** Another replica does the work. `done` resolves after the work, after WAIT_MS or at the abort; then look again. */
  | { kind: 'theirs'; done: (signal: AbortSignal) => Promise<void> }

/** Lets one replica at a time do a piece of work (I6). */
export interface WorkLock {
  acquire(key: string, budget: Budget): Promise<LockResult>
}

/** The lock of a service without other replicas. */
export function createNoLock(): WorkLock {
  return { acquire: async () => ({ kind: 'mine', release: async () => {} }) }
}

const MAGIC = 0x50_49_56_31 // "PIV1"
const FIXED_BYTES = 12

/** One buffer that holds header and body. */
export function encodeVariant({ meta, body }: Variant): Buffer {
  const header = Buffer.from(JSON.stringify(meta))
  const whole = Buffer.allocUnsafe(FIXED_BYTES + header.length + body.length)
  whole.writeUInt32BE(MAGIC, 0)
  whole.writeUInt32BE(header.length, 8)
  header.copy(whole, FIXED_BYTES)
  body.copy(whole, FIXED_BYTES + header.length)
  whole.writeUInt32BE(crc32(whole.subarray(8)), 4)
  return whole
}

/**
 * Decodes a variant; undefined for bytes that are no variant, are damaged, or belong to another key (O6: damage in the
 * store is a miss). The body is a copy, because buffers of the Redis client are views of its socket chunks.
 */
export function decodeVariant(bytes: Buffer, key: string): Variant | undefined {
  if (bytes.length < FIXED_BYTES || bytes.readUInt32BE(0) !== MAGIC) return undefined
  if (crc32(bytes.subarray(8)) !== bytes.readUInt32BE(4)) return undefined
  const bodyAt = FIXED_BYTES + bytes.readUInt32BE(8)
  if (bodyAt > bytes.length) return undefined
  try {
    // The checksum proves the shape: only encodeVariant writes this form, and the version is part of the key.
    const meta = JSON.parse(bytes.toString('utf8', FIXED_BYTES, bodyAt)) as VariantMeta
    return meta.key === key ? { meta, body: Buffer.from(bytes.subarray(bodyAt)) } : undefined
  } catch {
    // Not JSON: a miss, like any other damage.
    return undefined
  }
}
