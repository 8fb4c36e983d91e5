// Counts a body without a declared length as it passes and cuts it off above the ceiling.

import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'

/** Generous: actions enforce their own, lower limits with better texts (A7). */
export const BODY_CEILING_BYTES = 64 * 1024 * 1024

/** Passes bytes on; above the limit it passes nothing more and calls `onExceeded` once with the count so far. */
export function createByteCeiling(limitBytes: number, onExceeded: (received: number) => void): Transform {
  let received = 0
  let isExceeded = false
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      received += chunk.length
      if (received <= limitBytes) return callback(null, chunk)
      if (!isExceeded) onExceeded(received)
      isExceeded = true
      // The rest is read and dropped, so that the client can read the response.
      callback()
    },
  })
}

export interface CeilingEvents {
  /** The body is larger than the limit. */
  onExceeded: (received: number) => void
  /** The client closed its connection before the end of the body. */
  onBroken: () => void
}

/** The request's body, counted on its way to the replica. */
export function countBody(request: IncomingMessage, limitBytes: number, events: CeilingEvents): Transform {
  const body = createByteCeiling(limitBytes, events.onExceeded)
  // A body that breaks off must not look like a whole one.
  request.on('error', (error) => body.destroy(error))
  body.on('error', events.onBroken)
  return request.pipe(body)
}
