// Ends a request whose connection to its replica is not made in time, which counts as a refused connection, and one to
// another host that pauses too long.

import type { ClientRequest } from 'node:http'
import { CONNECT_TIMEOUT, codedError } from '@portico/shared/kit/inner/faults.ts'

/** A service ends its responses itself; another host may never do so. */
const LONGEST_SILENCE_MS = 60_000

interface Connecting {
  dispatch(event: { kind: 'connected' }): void
}

/** Reports the connection once it is made. The caller clears the returned timer when the request ends earlier. */
export function limitConnecting(request: ClientRequest, timeoutMs: number, reportTo: Connecting): NodeJS.Timeout {
  const { socket } = request
  const endLate = () => {
    if (socket?.connecting) request.destroy(codedError(CONNECT_TIMEOUT, 'the connection was not made in time'))
  }
  // Timers run before the events of sockets: in a busy process the connection may be made but not reported yet.
  const timer = setTimeout(() => setImmediate(endLate), timeoutMs)
  socket?.once('connect', () => {
    clearTimeout(timer)
    reportTo.dispatch({ kind: 'connected' })
  })
  return timer
}

/** Ends a request in which no byte passes for a minute. */
export function limitSilence(request: ClientRequest, silenceMs = LONGEST_SILENCE_MS): void {
  request.setTimeout(silenceMs, () => request.destroy(codedError('ESILENT', 'the other host paused too long')))
}
