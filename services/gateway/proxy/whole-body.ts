// Waits for small request bodies before a replica is chosen: a visitor who sends slowly, or never the end, holds one
// connection to the gateway, and none to a replica.

import type { IncomingMessage } from 'node:http'

/**
 * Whether a body of this declared length waits in its request until it is whole. A request keeps so much by itself
 * while nobody reads it; nothing is copied. Larger bodies go on as they come, and so do those without a length: their
 * sender may wait for an answer to the first piece.
 */
export function fitsRequest(request: IncomingMessage, declaredBytes: number): boolean {
  return declaredBytes > 0 && declaredBytes <= request.readableHighWaterMark
}

/** Calls `go` once all of the body has arrived; never when the visitor leaves before. */
export function whenWhole(request: IncomingMessage, go: () => void): void {
  const look = () => {
    if (!request.complete) return
    request.off('readable', look)
    go()
  }
  request.on('readable', look)
}
