// Decides when a service stops receiving a request body (A7, G8): a reducer over the observations of a sweep.

import { BODY_IDLE_MS, BODY_LEAST_RATE } from '../../wire/constants.ts'

/**
 * A body may continue for this long after its response: an immediate close would reset the connection, and the client
 * could lose the response (RFC 9112 section 9.6).
 */
const AFTER_RESPONSE_MS = 5000
/** A body that the service does not read holds its connection at most this long. */
const UNREAD_MS = 60_000

export interface Arrival {
  readonly receivedBytes: number
  /** Time of the last observation with new bytes. */
  readonly progressAt: number
  /** Start of the window in which the rate is measured, and the bytes received before it. */
  readonly windowAt: number
  readonly windowBytes: number
  /** True in the first window: a slow start is no attack. */
  readonly isGrace: boolean
  /** Since when received bytes wait for the service to read them. */
  readonly unreadSince: number | undefined
  /** Time of the first observation after the end of the response. */
  readonly respondedAt: number | undefined
}

/** One observation of the sweep. Times are milliseconds of one clock. */
interface ArrivalObservation {
  now: number
  /** Payload since the start. SECURITY: framing (chunk sizes, extensions, trailers) must not count as progress. */
  receivedBytes: number
  /** Bytes have arrived that the service has not read: the client may be unable to send more. */
  isUnread: boolean
  /** The response was sent completely. */
  isResponded: boolean
}

export type ArrivalFault = 'body-idle' | 'body-slow' | 'body-unread' | 'body-after-response'

export function beginArrival(now: number): Arrival {
  return {
    receivedBytes: 0,
    progressAt: now,
    windowAt: now,
    windowBytes: 0,
    isGrace: true,
    unreadSince: undefined,
    respondedAt: undefined,
  }
}

/** The next state, and the fault for which the body is refused. `idleMs` is also the length of a window. */
export function observeArrival(
  arrival: Arrival,
  { now, receivedBytes, isUnread, isResponded }: ArrivalObservation,
  idleMs = BODY_IDLE_MS,
): { arrival: Arrival; fault?: ArrivalFault } {
  // SECURITY: the service no longer needs the rest of this body, so no rate justifies the connection.
  if (isResponded) {
    const respondedAt = arrival.respondedAt ?? now
    return {
      arrival: { ...arrival, respondedAt },
      ...(now - respondedAt >= AFTER_RESPONSE_MS && { fault: 'body-after-response' }),
    }
  }
  const isMore = receivedBytes > arrival.receivedBytes
  if (isUnread) {
    const unreadSince = isMore ? now : (arrival.unreadSince ?? now)
    const restarted = { receivedBytes, progressAt: now, windowAt: now, windowBytes: receivedBytes }
    return {
      arrival: { ...arrival, ...restarted, unreadSince },
      ...(now - unreadSince >= UNREAD_MS && { fault: 'body-unread' }),
    }
  }
  const progressAt = isMore ? now : arrival.progressAt
  const next = { ...arrival, receivedBytes, progressAt, unreadSince: undefined }
  if (now - progressAt >= idleMs) return { arrival: next, fault: 'body-idle' }
  if (now - arrival.windowAt < idleMs) return { arrival: next }
  const isSlow = !arrival.isGrace && receivedBytes - arrival.windowBytes < (BODY_LEAST_RATE * idleMs) / 1000
  const nextWindow = { ...next, windowAt: now, windowBytes: receivedBytes, isGrace: false }
  return { arrival: nextWindow, ...(isSlow && { fault: 'body-slow' }) }
}
