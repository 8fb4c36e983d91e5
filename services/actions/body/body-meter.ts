// Counts the bytes of a body as they arrive and stops at the limit (A7), for bodies with a length and chunked bodies.

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../shared/node/errors.ts'

/** The error of a body above its limit. `received` is Content-Length, or the bytes counted until the limit. */
export function bodyTooLarge(limit: number, received: number): ServiceError {
  return new ServiceError('body-too-large', { details: { limit, received } })
}

/**
 * The chunks of a body. Calls `limitBytes` for every chunk, because a form names its action inside the body, and
 * `onReceived` with the bytes received so far. Throws a ServiceError over the limit, or when the connection ends before
 * the body.
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
  // SECURITY: an incomplete body must not be accepted as a shorter complete body.
  if (!request.complete) throw endedTooEarly()
}

/**
 * Reads a whole body into memory by the same rules. Uses events: most bodies are one chunk, and an iterator costs more.
 */
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
      request.off('data', onData).off('end', onEnd).off('error', onClosed).off('close', onClosed)
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
      // SECURITY: as above, an incomplete body must not be accepted.
      if (!request.complete) return reject(endedTooEarly())
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const onClosed = (error?: Error) => {
      stop()
      reject(endedTooEarly(error))
    }
    // A destroyed request emits no more events, even if the whole body had arrived.
    if (request.destroyed) return onClosed()
    request.on('data', onData).on('end', onEnd).on('error', onClosed).on('close', onClosed)
  })
}

function endedTooEarly(cause?: unknown): ServiceError {
  return new ServiceError('bad-request', { text: 'The body ended too early.', cause })
}

/** Decodes UTF-8 and refuses other bytes. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'The body is not UTF-8.', cause })
  }
}
