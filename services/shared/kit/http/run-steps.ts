// Runs the steps of a service, a router of express, as the handler of a server.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Log } from '../observe/log.ts'

/** The call signature of express's Router. */
type Steps<Request, Response> = (request: Request, response: Response, next: (error?: unknown) => void) => void

/**
 * A router without an application: an application replaces the prototypes of each request and response by express's own,
 * whose methods the steps do not use, and V8 reads such objects slowly. `steps` responds to every request and error.
 */
export function runSteps<Request extends IncomingMessage, Response extends ServerResponse>(
  steps: Steps<Request, Response>,
  log: Log,
): RequestListener {
  return (request, response) =>
    // express types the parameters of a router for applications; a router reads members of node:http's objects only.
    steps(request as Request, response as Response, (error) => {
      log.error({ error }, 'request without a response')
      response.destroy()
    })
}
