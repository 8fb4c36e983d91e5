// Reads the body of a source: decodes the content coding and limits the bytes before and after decoding (I4).

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'

type LimitedBody =
  /** `hash` is the SHA-256 of the body. */
  { kind: 'body'; body: Buffer; hash: string } | { kind: 'too-large' } | { kind: 'unknown-coding'; coding: string }

/** SECURITY: a map, because a source chooses the name, and an object inherits members (`constructor`). */
const DECODERS = new Map<string, (response: IncomingMessage) => Transform | Promise<Transform>>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', createInflateFor],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
])

/**
 * Bytes per turn of the event loop: node:net delivers 2 MB in one turn, and hashing them delays cached responses by 2
 * ms.
 */
const TURN_BYTES = 128 * 1024

/**
 * Rejects when the body is incomplete or damaged. SECURITY: the limit applies to the bytes on the wire and to the bytes
 * after decompression, so that a small response cannot fill the memory.
 */
export async function readLimited(response: IncomingMessage, limitBytes: number): Promise<LimitedBody> {
  const declared = Number(response.headers['content-length'])
  if (declared > limitBytes) {
    response.destroy()
    return { kind: 'too-large' }
  }
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const createDecoder = DECODERS.get(coding)
  if (!createDecoder && coding !== 'identity' && coding !== '') {
    response.destroy()
    return { kind: 'unknown-coding', coding: coding.slice(0, 40) }
  }
  const stream = createDecoder ? pipeThrough(response, await createDecoder(response), limitBytes) : response
  // With a known length all chunks are copied into one buffer: joining the chunks at the end would need twice the
  // memory and delay cached responses. For the same reason the hash is updated chunk by chunk.
  const known = createDecoder || !(declared >= 0) ? undefined : Buffer.allocUnsafeSlow(declared)
  const chunks: Buffer[] = []
  const hash = createHash('sha256')
  let received = 0
  let nextPause = TURN_BYTES
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > limitBytes) throw new TooLargeError('the body is too large')
      if (known) chunk.copy(known, received - chunk.length)
      else chunks.push(chunk)
      hash.update(chunk)
      if (received < nextPause) continue
      nextPause = received + TURN_BYTES
      await nextTurn()
    }
  } catch (error) {
    response.destroy()
    if (error instanceof TooLargeError) return { kind: 'too-large' }
    throw error
  }
  return { kind: 'body', body: known ?? Buffer.concat(chunks), hash: hash.digest('base64url') }
}

class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/**
 * Accepts both forms of `deflate`: the zlib format, and the compressed data alone, which some servers send and HTTP
 * clients accept (RFC 9110 section 8.4.1.2). The low four bits of the first zlib byte are the method, 8 (RFC 1950).
 */
async function createInflateFor(response: IncomingMessage): Promise<Transform> {
  await once(response, 'readable')
  // A stream without an encoding returns Buffers, and null at its end.
  const chunk = response.read() as Buffer | null
  if (chunk) response.unshift(chunk)
  return chunk && (chunk[0]! & 0x0f) !== 8 ? createInflateRaw() : createInflate()
}

function pipeThrough(response: IncomingMessage, decoder: Transform, limitBytes: number): Transform {
  let received = 0
  response.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > limitBytes) decoder.destroy(new TooLargeError('the body is too large'))
  })
  response.once('error', (error) => decoder.destroy(error))
  response.once('aborted', () => decoder.destroy(new Error('the body is incomplete')))
  return response.pipe(decoder)
}
