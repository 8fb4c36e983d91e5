// The bounds of one process that serves: each worker has its share, so that a gateway takes as much memory, and sends as much
// to a replica, whatever the number of its workers.

import { FIRST_READY_WAITERS, WAITING_BODIES_BYTES } from '@portico/shared/wire/constants.ts'
import { READING_LIMIT_BYTES } from './pages/pages.ts'
import { IN_FLIGHT_LIMIT } from './replicas/replicas.ts'

interface GatewayBounds {
  workers: number
  /** The limit of the page cache. */
  cacheBytes: number
  /** Connections of each listener. */
  maxConnections: number
}

/** `maxConnectionsPerAddress` is not among them: connections of one address are not spread evenly. */
export function boundsOf({ workers, cacheBytes, maxConnections }: GatewayBounds) {
  const share = (whole: number) => Math.ceil(whole / workers)
  return {
    cacheBytes: share(cacheBytes),
    maxConnections: share(maxConnections),
    inFlightLimit: share(IN_FLIGHT_LIMIT),
    waitingBodiesBytes: share(WAITING_BODIES_BYTES),
    firstReadyWaiters: share(FIRST_READY_WAITERS),
    readingLimitBytes: share(READING_LIMIT_BYTES),
  }
}
