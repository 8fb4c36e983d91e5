// What is done when a response is closed. A dozen parts of a service wait for it, each with a good reason: a listener for each
// would be more than node:events takes for a leak (MaxListenersExceededWarning), and costs more than an entry of a list.

import type { ServerResponse } from 'node:http'

const CALLS = Symbol('closed')
type Closing = ServerResponse & { [CALLS]?: (() => void)[] }

/** Calls the function when the response is closed, after those that were given before; never for one that is closed already. */
export function whenClosed(response: ServerResponse, call: () => void): void {
  const closing: Closing = response
  if (closing[CALLS]) return void closing[CALLS].push(call)
  closing[CALLS] = [call]
  // A response is closed once: `once` would create and remove a second function for each request.
  response.on('close', callAll)
}

function callAll(this: Closing): void {
  const calls = this[CALLS] ?? []
  this[CALLS] = []
  for (const call of calls) call()
}
