// Names of headers that only the services of one site exchange, and that code of the site must not set.

import { INTERNAL_HEADER_PREFIX } from '../constants.ts'

/** Throws for a response header that page data functions and API handlers must not set. Compares without case. */
export function refuseInternalHeader(name: string): void {
  const lower = name.toLowerCase()
  // SECURITY: the gateway believes these headers of an upstream.
  if (lower.startsWith(INTERNAL_HEADER_PREFIX))
    throw new Error(`the header ${lower} is not allowed: names with ${INTERNAL_HEADER_PREFIX} belong to the framework`)
}
