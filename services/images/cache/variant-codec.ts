// The binary form of a variant in Redis and on disk: magic, CRC-32, length of the JSON header, header, body.

import { crc32 } from 'node:zlib'
import type { Variant, VariantMeta } from './variant.ts'

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
