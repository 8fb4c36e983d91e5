// Counts the bytes of a body as they arrive and stops at the limit (A7), for declared and chunked bodies alike.

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../shared/node/errors.ts'

/** The error of a body above its limit. `received` is what was declared, or counted until it was cut off. */
export function bodyTooLarge(limit: number, received: number): ServiceError {
  return new ServiceError('body-too-large', { details: { limit, received } })
}

/**
 * The chunks of a body. `limitBytes` is asked at every chunk, because a form names its action only on the way. Throws
 * a ServiceError when there is more, or when the visitor's connection ended before the body did.
 * `onReceived` hears how many bytes have come so far.
 */
export async function* readMetered(
  request: IncomingMessage,
  limitBytes: () => number,
  onReceived?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > limitBytes()) throw bodyTooLarge(limitBytes(), declared)
  let received = 0
  try {
    // An IncomingMessage without an encoding yields buffers.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length
      onReceived?.(received)
      if (received > limitBytes()) throw bodyTooLarge(limitBytes(), Number.isNaN(declared) ? received : declared)
      yield chunk
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw endedTooEarly(error)
  }
  // SECURITY: a body cut short must never look like a shorter one that is complete.
  if (!request.complete) throw endedTooEarly()
}

/** Reads a whole body into memory, by the same rules. By events: most bodies are one chunk, an iterator costs more. */
export function readWhole(
  request: IncomingMessage,
  limitBytes: () => number,
  onReceived?: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? Number.NaN)
    if (declared > limitBytes()) return reject(bodyTooLarge(limitBytes(), declared))
    const chunks: Buffer[] = []
    let received = 0
    const stop = () => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
    }
    const onData = (chunk: Buffer) => {
      received += chunk.length
      onReceived?.(received)
      if (received <= limitBytes()) return void chunks.push(chunk)
      stop()
      request.pause()
      reject(bodyTooLarge(limitBytes(), Number.isNaN(declared) ? received : declared))
    }
    const onEnd = () => {
      stop()
      // SECURITY: as above, a shorter body is none.
      if (!request.complete) return reject(endedTooEarly())
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const onGone = (error?: Error) => {
      stop()
      reject(endedTooEarly(error))
    }
    // Nothing more is heard of it, even if all of it had arrived.
    if (request.destroyed) return onGone()
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}

function endedTooEarly(cause?: unknown): ServiceError {
  return new ServiceError('bad-request', { text: 'The body ended too early.', cause })
}

/** Decodes UTF-8 and refuses everything else. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'The body is not UTF-8.', cause })
  }
}
