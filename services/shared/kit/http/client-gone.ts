// Requests whose client is gone (L3): none of their steps runs.

import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Whether the client can receive nothing more of the response, because its connection is closed. A response is closed turns
 * after its connection, and one that waits behind another response (pipelining) later still.
 */
export function isClientGone(response: ServerResponse): boolean {
  return response.destroyed || response.req.socket.destroyed
}

type Step<Request, Response, Next> = (request: Request, response: Response, next: Next) => unknown

/** The step, which is left out when the client is gone; the request ends when its response is closed, which needs no step. */
export function whileConnected<Request extends IncomingMessage, Response extends ServerResponse, Next>(
  step: Step<Request, Response, Next>,
): Step<Request, Response, Next> {
  return (request, response, next) => (isClientGone(response) ? undefined : step(request, response, next))
}
