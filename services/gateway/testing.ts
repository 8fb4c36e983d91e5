// What tests import of the inner functions and limits of the gateway; no other code imports this file.

export { readValidity } from './control/certificates.ts'
export { keptPublicName } from './files/kept-public.ts'
export { publishTo } from './files/old-builds.ts'
export { MOST_NAMES } from './purge-body.ts'
export { LOOKUP_INTERVAL_MS, PROBE_INTERVAL_MS, PROBE_TIMEOUT_MS } from './replicas/service-replicas.ts'
