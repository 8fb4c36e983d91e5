// Collects small request bodies before a replica is chosen: a client that sends slowly, or never the end, holds one
// connection to the gateway, and none to a replica.

import type { IncomingMessage } from 'node:http'

/**
 * Whether a body of this declared length is collected. Larger bodies are passed on as they arrive, and so are those
 * without a length: their client may wait for a response to the first piece.
 */
export function isCollected(request: IncomingMessage, declaredBytes: number): boolean {
  return declaredBytes <= request.readableHighWaterMark
}

/** A body of more pieces is copied to one buffer. */
const MOST_PIECES = 16

/** Calls `onCollected` once all of the body has arrived; never when the client disconnects before. */
export function collectBody(
  request: IncomingMessage,
  declaredBytes: number,
  onCollected: (chunks: Buffer[]) => void,
): void {
  const pieces: Buffer[] = []
  let whole: Buffer | undefined
  let filled = 0
  request.on('data', (chunk: Buffer) => {
    if (whole) filled += chunk.copy(whole, filled)
    else if (pieces.push(chunk) > MOST_PIECES) {
      // SECURITY: a byte that arrives alone in a packet costs some hundred bytes as a separate buffer.
      whole = Buffer.allocUnsafeSlow(declaredBytes)
      for (const piece of pieces.splice(0)) filled += piece.copy(whole, filled)
    }
  })
  // The event means that the body is whole: `filled` is its declared length, and nothing of the buffer is left unwritten.
  request.once('end', () => onCollected(whole ? [whole] : pieces))
}
