// Reads the figures of the stack for code of the site, from a gateway's inner port (O4, O9).

import { STATUS_LIMIT_MS, type StackStatus } from '@portico/shared/wire/stack-status.ts'

/** Shortest time between two readings, for any number of requests. */
export const READ_INTERVAL_MS = 1000

/**
 * Returns the reader. Calls within the interval share one reading; it rejects when the gateway does not respond. Where
 * the host resolves to many gateways, one of them responds. `now`: a monotonic clock in milliseconds.
 */
export function createStackStatus(gatewayInnerUrl: URL, now: () => number): () => Promise<StackStatus> {
  const url = new URL('/status', gatewayInnerUrl)
  let reading: Promise<StackStatus> | undefined
  let readAt = 0
  return () => {
    if (!reading || now() - readAt >= READ_INTERVAL_MS) {
      readAt = now()
      reading = readStatus(url)
    }
    return reading
  }
}

async function readStatus(url: URL): Promise<StackStatus> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(STATUS_LIMIT_MS) })
    const document: unknown = response.ok ? await response.json() : undefined
    if (typeof document === 'object' && document && 'status' in document)
      // SECURITY: the other members hold addresses. A gateway of this stack wrote the document.
      return document.status as StackStatus
    throw new Error(`GET ${url.pathname} responded with status ${response.status} and no figures`)
  } catch (cause) {
    throw new Error('the gateway did not report the figures of the stack', { cause })
  }
}
