// Counts a body without a declared length as it passes and cuts it off above the ceiling.

import { Transform } from 'node:stream'
import type { Passage } from './passage.ts'

/** Generous: actions enforce their own, lower limits with better words (A7). */
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
      // The rest is read and dropped, so that the visitor can see the answer.
      callback()
    },
  })
}

/** Has the request's body counted on its way to the replica. */
export function addCeiling(passage: Passage, limitBytes: number, onExceeded: (received: number) => void): void {
  const { request } = passage
  const body = createByteCeiling(limitBytes, onExceeded)
  // A client who leaves in the middle must not look like a whole body.
  request.on('error', (error) => body.destroy(error))
  body.on('error', () => passage.upstreamRequest?.destroy())
  passage.body = request.pipe(body)
}
