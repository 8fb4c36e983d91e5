// The counted bytes of records: the measured memory that Redis allocates. SQLite needs less, and counts the same.

import { IDEMPOTENCY_BODY_OVERHEAD_BYTES, IDEMPOTENCY_ROW_BYTES } from '@portico/shared/wire/constants.ts'

export function rowCharge(location: string | null | undefined): number {
  return IDEMPOTENCY_ROW_BYTES + Buffer.byteLength(location ?? '')
}

/** Allocators have four sizes in each power of two, so up to a fifth of the allocated bytes is unused. */
export function bodyCharge(sealed: Uint8Array): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(sealed.length)) - 2)
  return Math.ceil(sealed.length / step) * step + IDEMPOTENCY_BODY_OVERHEAD_BYTES
}
