// What a failed request to a replica means: for the replica, for the next attempt, and for the client (E7).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@portico/shared/kit/http/errors.ts'
import type { ConnectionFault } from '@portico/shared/kit/inner/faults.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { RequestFailure } from '../replicas/replicas.ts'
import type { ErrorSender } from '../send/send.ts'

/** Whether a failure says something of the replica, which is not known already. */
export function isOfReplica(failure: ConnectionFault): failure is RequestFailure {
  return failure !== 'out' && failure !== 'head-too-large'
}

/** Seconds after which a client may try again; replicas are probed twice a second. */
const RETRY_AFTER = { 'retry-after': '1' }

/** Why the gateway itself responds. */
export type Stop = { /** The limit that refused the request. */ readonly refusal?: RefusalReason } & (
  | { readonly why: 'refused' | 'overloaded' | 'late' | 'body-late' | 'malformed' }
  | { readonly why: 'body-too-large'; readonly receivedBytes: number; readonly limitBytes: number }
)

const CODES: Readonly<Record<Stop['why'], ErrorCode>> = {
  refused: 'upstream-refused',
  overloaded: 'overloaded',
  late: 'upstream-late',
  // RFC 9110 section 15.5.9: the client may repeat the request on a new connection, and this one is closed.
  'body-late': 'body-late',
  malformed: 'malformed-path',
  'body-too-large': 'body-too-large',
}

/** Sends the gateway's own response. `isBodyUnread`: the connection cannot be used for another request. */
export function sendStop(
  errors: ErrorSender,
  stop: Stop,
  { request, response, isBodyUnread }: { request: IncomingMessage; response: ServerResponse; isBodyUnread: boolean },
): void {
  const mayRetry = stop.why === 'refused' || stop.why === 'overloaded'
  const isTooLarge = stop.why === 'body-too-large'
  const form = isBodyUnread || isTooLarge ? 'sendAndClose' : 'send'
  errors[form](request, response, CODES[stop.why], {
    ...(mayRetry && { headers: RETRY_AFTER }),
    ...(isTooLarge && { details: { limit: stop.limitBytes, received: stop.receivedBytes } }),
  })
}
