// Metrics by route: latency and status (O7). The number of label values is bounded.

import { Counter, Histogram, type Registry } from '@prometheus-io/client'

/** Routes with series of their own; later ones are counted together. Each route costs about twenty series. */
const MOST_ROUTES = 100
/** The label of all routes above the limit, and of requests without a route. */
const OTHER_ROUTES = 'other'

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10]

/**
 * Registers the metrics. Returns the function that counts a response; `route` is the pattern of a page, API route or
 * action, or the name of a line of the routing table: never the path of a request.
 */
export function createRouteMetrics(registry: Registry, most = MOST_ROUTES) {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'portico_gateway_route_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, by route.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  })
  const responses = new Counter({
    name: 'portico_gateway_route_responses_total',
    help: 'Responses by route and class of the status.',
    labelNames: ['route', 'status'],
    registers,
  })
  const known = new Set<string>()
  const labelOf = (route: string | undefined): string => {
    if (route === undefined) return OTHER_ROUTES
    if (known.size < most) known.add(route)
    return known.has(route) ? route : OTHER_ROUTES
  }
  return function countRoute(given: string | undefined, status: number, ms: number): void {
    const route = labelOf(given)
    seconds.observe({ route }, ms / 1000)
    responses.inc({ route, status: `${Math.floor(status / 100)}xx` })
  }
}
