// What a request through the gateway says of its client.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import { createAbortError } from '@portico/shared/kit/observe/stray-errors.ts'

/** The work for a response: it stops when the connection closes before the end of the response. */
export function workFor(response: ServerResponse, reason: string): AbortController {
  const controller = new AbortController()
  const onClose = () => {
    if (!response.writableFinished) controller.abort(createAbortError(reason))
  }
  // The client may have left while its middleware ran.
  if (isClientGone(response)) onClose()
  else response.on('close', onClose)
  return controller
}

/** The public origin that the gateway reports (only the gateway reaches this port); undefined for a malformed host. */
export function originOf(headers: IncomingHttpHeaders): string | undefined {
  const protocol = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const origin = `${protocol}://${headers['x-forwarded-host'] || headers.host || 'localhost'}`
  return URL.canParse(origin) ? origin : undefined
}
