// Counts a body without a declared length while the body is passed on, and passes on nothing above the ceiling.

import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'

/** Generous: actions enforce their own, lower limits with better texts (A7). */
export const BODY_CEILING_BYTES = 64 * 1024 * 1024

/**
 * The request's body, counted on its way to the replica: above the limit nothing more is passed on, and `onExceeded` is
 * called once with the count so far. Ends with an error when the client disconnects.
 */
export function countBody(
  request: IncomingMessage,
  limitBytes: number,
  onExceeded: (received: number) => void,
): Transform {
  let received = 0
  let isExceeded = false
  const body = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      received += chunk.length
      if (received <= limitBytes) return callback(null, chunk)
      if (!isExceeded) onExceeded(received)
      isExceeded = true
      // The rest is read and dropped, so that the client can read the response.
      callback()
    },
  })
  // A body that breaks off must not look complete.
  request.on('error', (error) => body.destroy(error))
  return request.pipe(body)
}
