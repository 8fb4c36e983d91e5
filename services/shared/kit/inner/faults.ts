// Why a request to a replica has no whole response, and whether it may be sent once more: the one table of the proxy and of the
// client of inner ports.

/** Codes of connections that were not made; one that was made may report some of them when it is lost. */
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
const REPLICA_OUT = 'REPLICA_OUT'
/** Given to a request whose connection was not made in time. */
export const CONNECT_TIMEOUT = 'ETIMEDOUT'

/** Given by node:http to a response whose head is longer than the limit. */
const HEAD_OVERFLOW = 'HPE_HEADER_OVERFLOW'

/**
 * What the system or the prober reports. `stale`: a kept connection ended as the request used it. `out`: the prober ejected
 * the replica. `head-too-large`: the replica responded, with a head that another replica would send, too.
 */
export type ConnectionFault = 'refused' | 'stale' | 'broken' | 'out' | 'head-too-large'

/**
 * `late`: no whole response within the time limit. `given-up`: the replica is frozen, and no other one is ready. `aborted`: the
 * caller does not wait any more. `other-build`: the replica has run nothing. `unfit`: another status than the caller takes, or
 * a response that the caller cannot read. `busy`: other responses use the memory for reading.
 */
export type SendFault =
  | ConnectionFault
  | 'late'
  | 'given-up'
  | 'aborted'
  | 'other-build'
  | 'unfit'
  | 'too-large'
  | 'busy'

/** Reads an error of node:http. `wasReused`: the connection was a kept one. */
export function faultOf(error: unknown, wasReused: boolean): ConnectionFault {
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

/** The error that ends a request whose replica was ejected. */
export function replicaOut(): Error {
  return codedError(REPLICA_OUT, 'the replica was ejected')
}

/** Whether another replica, or a new connection, may lead to another end. */
const MAY_END_OTHERWISE: Readonly<Record<SendFault, boolean>> = {
  refused: true,
  stale: true,
  broken: true,
  out: true,
  'other-build': true,
  // The replica has responded: a repetition would run the page, and middleware, once more for the same response.
  'head-too-large': false,
  unfit: false,
  'too-large': false,
  // No time is left, no replica is ready, no client waits, or no memory is free.
  late: false,
  'given-up': false,
  aborted: false,
  busy: false,
}

export interface FailedSend {
  fault: SendFault
  /** Nothing of the request was read: its connection was never made, or the replica refused it unread. */
  isUnsent: boolean
}

/**
 * Whether a request may be sent once more. `isRepeatable`: a second time changes nothing (RFC 9110 section 9.2.2).
 *
 * SECURITY: what is not repeatable is sent again only if nothing of it was sent, whatever the error: the codes of a refused
 * connection are also those of a made one that is lost later.
 *
 * @example mayRepeat({ fault: 'broken', isUnsent: false }, method === 'GET')
 */
export function mayRepeat({ fault, isUnsent }: FailedSend, isRepeatable: boolean): boolean {
  return MAY_END_OTHERWISE[fault] && (isUnsent || isRepeatable)
}
