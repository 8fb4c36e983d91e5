// When an arriving body is given up (A7, G8): a reducer over what a sweep sees of it. Acts on nothing.

import { BODY_IDLE_MS, BODY_LEAST_RATE } from '../wire/constants.ts'

/**
 * A body may go on arriving this long after its response: closing at once would reset the connection, and the reset can
 * take the response with it (RFC 9112 section 9.6).
 */
const AFTER_RESPONSE_MS = 5000
/** A body whose bytes the service itself does not read holds its connection at most this long. */
const UNREAD_MS = 60_000

export interface Arrival {
  readonly receivedBytes: number
  /** When the last bytes were seen. */
  readonly progressAt: number
  /** Start of the window in which the rate is measured, and what had been received by then. */
  readonly windowAt: number
  readonly windowBytes: number
  /** The first window only: a slow start is no attack. */
  readonly isGrace: boolean
  /** Since when bytes wait that the service does not read. */
  readonly unreadSince: number | undefined
  /** When the response was first seen to have ended. */
  readonly respondedAt: number | undefined
}

/** What a sweep sees. Times are milliseconds of one clock. */
export interface Sight {
  now: number
  /** Payload since the start. SECURITY: framing (chunk sizes, extensions, trailers) must not count as progress. */
  receivedBytes: number
  /** Bytes have arrived that the service has not read: the client may be unable to send more. */
  isUnread: boolean
  /** The response has been sent to its end. */
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

/** The next state, and the fault for which the body is given up. `idleMs` is also the length of a window. */
export function observeArrival(
  arrival: Arrival,
  { now, receivedBytes, isUnread, isResponded }: Sight,
  idleMs = BODY_IDLE_MS,
): { arrival: Arrival; fault?: ArrivalFault } {
  // SECURITY: for nothing that still arrives now is there a use; no rate makes it worth a connection.
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
  const opened = { ...next, windowAt: now, windowBytes: receivedBytes, isGrace: false }
  return { arrival: opened, ...(isSlow && { fault: 'body-slow' }) }
}
