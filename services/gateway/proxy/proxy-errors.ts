// What a failed request to a replica means: for the replica, for the next attempt, and for the client (E7).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@portico/shared/kit/http/errors.ts'
import type { RefusalReason } from '@portico/shared/kit/observe/refusals.ts'
import type { RequestFailure } from '../replicas/member-state.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { ErrorSender } from '../request/send-error.ts'

/** Codes of connections that were never made. */
const REFUSED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'ETIMEDOUT',
])

/** Given to a request whose replica was ejected while the request waited. */
export const REPLICA_OUT = 'REPLICA_OUT'
/** Given to a request whose connection was not made in time. */
export const CONNECT_TIMEOUT = 'ETIMEDOUT'

/** Given by node:http to a response whose head is longer than the limit. */
const HEAD_OVERFLOW = 'HPE_HEADER_OVERFLOW'

/**
 * `out`: the prober ejected the replica; its state is known already. `head-too-large`: the replica responded, with a head
 * that another replica would send, too.
 */
export type Failure = RequestFailure | 'out' | 'head-too-large'

/** Whether a failure says something of the replica, which is not known already. */
export function isOfReplica(failure: Failure): failure is RequestFailure {
  return failure !== 'out' && failure !== 'head-too-large'
}

/** Reads an error of the proxy. */
export function failureOf(error: unknown, wasReused: boolean): Failure {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (code === REPLICA_OUT) return 'out'
  if (code === HEAD_OVERFLOW) return 'head-too-large'
  if (REFUSED.has(code)) return 'refused'
  return wasReused && (code === 'ECONNRESET' || code === 'EPIPE') ? 'stale' : 'broken'
}

/** An error with a code, as node:net makes them. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** Seconds after which a client may try again; replicas are probed twice a second. */
const RETRY_AFTER = { 'retry-after': '1' }

/** Why the gateway itself responds. */
export type Stop = { /** The limit that refused the request. */ readonly refusal?: RefusalReason } & (
  | { readonly why: 'refused' | 'overloaded' | 'late' | 'body-late' }
  | { readonly why: 'body-too-large'; readonly receivedBytes: number; readonly limitBytes: number }
)

const CODES: Readonly<Record<Stop['why'], ErrorCode>> = {
  refused: 'upstream-refused',
  overloaded: 'overloaded',
  late: 'upstream-late',
  // RFC 9110 section 15.5.9: the client may repeat the request on a new connection, and this one is closed.
  'body-late': 'body-late',
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
  const why = stop.why === 'refused' && exchangeOf(request).isUnconfirmed ? 'overloaded' : stop.why
  errors[form](request, response, CODES[why], {
    ...(mayRetry && { headers: RETRY_AFTER }),
    ...(isTooLarge && { details: { limit: stop.limitBytes, received: stop.receivedBytes } }),
  })
}
