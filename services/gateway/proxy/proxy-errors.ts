// What a failed request to a replica means: for the replica, for a second try, and for the visitor (E7).

import type { ErrorCode } from '../../shared/node/errors.ts'

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

/** Given to a request whose replica went out while it waited. */
export const REPLICA_OUT = 'REPLICA_OUT'
/** Given to a request whose connection was not made in time. */
export const CONNECT_TIMEOUT = 'ETIMEDOUT'

export type Failure =
  /** Nothing listens there. */
  | 'refused'
  /** The connection ended before an answer began. */
  | 'broken'
  /** A kept connection was closed by its other end just as we used it: nobody's fault. */
  | 'stale'
  /** The prober put the replica out; it is known already. */
  | 'out'

/** Reads an error of the proxy. */
export function failureOf(error: unknown, wasReused: boolean): Failure {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (code === REPLICA_OUT) return 'out'
  if (REFUSED.has(code)) return 'refused'
  return wasReused && (code === 'ECONNRESET' || code === 'EPIPE') ? 'stale' : 'broken'
}

/** An error with a code, as node:net makes them. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** Seconds after which a visitor may try again; replicas are probed twice a second. */
const RETRY_AFTER = { 'retry-after': '1' }

/** The answers of the gateway for its upstreams. */
export const UPSTREAM_ERRORS: Readonly<
  Record<'refused' | 'overloaded' | 'late' | 'body-late', { code: ErrorCode; headers: Record<string, string> }>
> = {
  refused: { code: 'upstream-refused', headers: RETRY_AFTER },
  overloaded: { code: 'overloaded', headers: RETRY_AFTER },
  late: { code: 'upstream-late', headers: {} },
  // RFC 9110 section 15.5.9: the client may repeat the request on a new connection, and this one is closed.
  'body-late': { code: 'body-late', headers: {} },
}
