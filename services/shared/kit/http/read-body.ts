// Reads the body of a request or of a response up to a limit (A7), with a declared length or chunked. The time limit is
// the server's (body-arrival.ts) for a request, and the caller's abort signal for a response.

import type { IncomingMessage } from 'node:http'
import { ServiceError } from './errors.ts'

/** The error of a body above its limit. `received` is Content-Length, or the bytes counted until the limit. */
export function bodyTooLarge(limit: number, received: number): ServiceError {
  return new ServiceError('body-too-large', { details: { limit, received } })
}

export interface BodyLimit {
  /** Called for every chunk, because a form names its action inside the body. */
  limitBytes: () => number
  /** Receives the number of bytes so far. */
  onReceived?: (bytes: number) => void
  /** Receives each chunk within the limit. */
  onChunk?: (chunk: Buffer) => void
}

/** Checks the declared length, and returns a function that counts a chunk; both throw over the limit. */
function createMeter(
  { headers }: IncomingMessage,
  { limitBytes, onReceived, onChunk }: BodyLimit,
): (chunk: Buffer) => void {
  const declared = Number(headers['content-length'] ?? Number.NaN)
  const check = (bytes: number) => {
    if (bytes > limitBytes()) throw bodyTooLarge(limitBytes(), Number.isNaN(declared) ? bytes : declared)
  }
  check(declared)
  let received = 0
  return (chunk) => {
    received += chunk.length
    onReceived?.(received)
    check(received)
    onChunk?.(chunk)
  }
}

/** The chunks of a body. Throws a ServiceError over the limit, or when the connection ends before the body. */
export async function* readMetered(message: IncomingMessage, limit: BodyLimit): AsyncGenerator<Buffer> {
  const count = createMeter(message, limit)
  try {
    // An IncomingMessage without an encoding yields buffers.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      count(chunk)
      yield chunk
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw endedTooEarly(error)
  }
  // SECURITY: an incomplete body must not be accepted as a shorter complete body.
  if (!message.complete) throw endedTooEarly()
}

/**
 * Reads a whole body into memory by the same rules; the rest of a body above its limit is left unread. Uses events: most
 * bodies are one chunk, and an iterator costs more.
 */
export function readWhole(message: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const count = createMeter(message, limit)
    const chunks: Buffer[] = []
    const stop = () => {
      message.off('data', onData).off('end', onEnd).off('error', onClosed).off('close', onClosed)
    }
    const onData = (chunk: Buffer) => {
      try {
        count(chunk)
        chunks.push(chunk)
      } catch (error) {
        stop()
        message.pause()
        reject(error)
      }
    }
    const onEnd = () => {
      stop()
      // SECURITY: as above, an incomplete body must not be accepted.
      if (!message.complete) return reject(endedTooEarly())
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const onClosed = (error?: Error) => {
      stop()
      reject(endedTooEarly(error))
    }
    // A destroyed message emits no more events, even if the whole body had arrived.
    if (message.destroyed) return onClosed()
    message.on('data', onData).on('end', onEnd).on('error', onClosed).on('close', onClosed)
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
