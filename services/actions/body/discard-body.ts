// What to do with the rest of a body that was refused before its end (A7).

import type { IncomingMessage } from 'node:http'

/** Longest time that a refused body may go on arriving. */
const DISCARD_MS = 2000

/**
 * Throws away what still arrives, for a short time. Closing at once would reset the connection, and the visitor would
 * see the reset instead of the answer (RFC 9112 section 9.6); an answer that announces the close would do just that,
 * because the server closes when such an answer is out, whatever is still on its way in.
 */
export function discardBody(request: IncomingMessage): void {
  request.resume()
  request.on('error', () => {
    // The visitor closed first: nothing is left to discard.
  })
  const timer = setTimeout(() => request.destroy(), DISCARD_MS)
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
}
