// Discards the rest of a body that was refused before its end (A7).

import type { IncomingMessage } from 'node:http'

/** Longest time for which a refused body is still received. */
const DISCARD_MS = 2000

/**
 * Receives and drops the rest of the body for a short time. An immediate close would reset the connection, and the
 * client would see the reset instead of the response (RFC 9112 section 9.6). `Connection: close` in the response would
 * do the same, because the server closes as soon as it has sent such a response, although the body still arrives.
 */
export function discardBody(request: IncomingMessage): void {
  request.resume()
  request.on('error', () => {
    // The client closed first: nothing remains to discard.
  })
  const timer = setTimeout(() => request.destroy(), DISCARD_MS)
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
}
