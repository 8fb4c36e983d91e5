// The binary form of a variant in Redis and on disk: magic, CRC-32, length of the JSON header, header, body.

import { crc32 } from 'node:zlib'
import type { Variant, VariantMeta } from '../variant.ts'

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
 * Reads a variant back; undefined when the bytes are not one, are damaged, or belong to another key (O6: rubbish in
 * the store is a miss). The body is a copy: the client's buffers are views of its socket chunks.
 */
export function decodeVariant(bytes: Buffer, key: string): Variant | undefined {
  if (bytes.length < FIXED_BYTES || bytes.readUInt32BE(0) !== MAGIC) return undefined
  if (crc32(bytes.subarray(8)) !== bytes.readUInt32BE(4)) return undefined
  const bodyAt = FIXED_BYTES + bytes.readUInt32BE(8)
  if (bodyAt > bytes.length) return undefined
  try {
    // The checksum stands for the shape: only encodeVariant writes this form, and its version is part of the key.
    const meta = JSON.parse(bytes.toString('utf8', FIXED_BYTES, bodyAt)) as VariantMeta
    return meta.key === key ? { meta, body: Buffer.from(bytes.subarray(bodyAt)) } : undefined
  } catch {
    // Not JSON after all: a miss like any other rubbish.
    return undefined
  }
}
