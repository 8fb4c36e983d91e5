// What one gateway knows of the stack, as far as code of the site may show it: sums by service, never an address, a name
// of a machine or a secret. Sums only grow while `gateway` is the same, so two readings give a rate.

/** Milliseconds that a service waits for the figures; a gateway waits less for its own processes. */
export const STATUS_LIMIT_MS = 1000

export const STACK_SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const

export interface ServiceFigures {
  name: (typeof STACK_SERVICES)[number]
  /** Replicas that the gateway knows, and how many of them are ready; of gateways, it knows itself. */
  replicas: { known: number; ready: number }
  /** Requests that the service responded to, with the time they took in all; for the gateway: all requests. */
  requests: { count: number; seconds: number }
  /** Requests with a 5xx response. */
  failed: number
  /** Responses by the verdict of the service's own cache: pages in gateway and renderers, images. */
  cache: { hit: number; stale: number; miss: number; fallback: number }
}

/** The figures of the stack at one time. */
export interface StackStatus {
  /** Distinguishes gateways and their starts: 8 random hex digits. */
  gateway: string
  /** Start of that gateway and of its sums, and the time of reading: milliseconds since the epoch. */
  since: number
  at: number
  /** The build that the gateway serves. */
  buildId: string
  services: ServiceFigures[]
}
