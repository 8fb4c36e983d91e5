// Ends a request whose connection to its replica is not made in time; the error counts as a refused connection.

import type { ClientRequest } from 'node:http'
import { CONNECT_TIMEOUT, codedError } from './proxy-errors.ts'

interface Connecting {
  dispatch(event: { kind: 'connected' }): void
}

/** Reports the connection once it is made. The caller clears the timer when the request ends before. */
export function limitConnecting(request: ClientRequest, timeoutMs: number, reportTo: Connecting): NodeJS.Timeout {
  const { socket } = request
  const giveUp = () => {
    if (socket?.connecting) request.destroy(codedError(CONNECT_TIMEOUT, 'the connection was not made in time'))
  }
  // Timers run before the sockets' turn: a busy process may not have noticed yet that the connection is made.
  const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
  socket?.once('connect', () => {
    clearTimeout(timer)
    reportTo.dispatch({ kind: 'connected' })
  })
  return timer
}
