// Metrics by route: latency and status (O7). The number of label values is bounded.

import { Counter, Histogram, type Registry } from 'prom-client'

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
  /** prom-client checks labels once for each series, and not for each request. */
  const seriesOf = (route: string) => {
    const time = seconds.labels({ route })
    const byClass = new Map<number, ReturnType<typeof responses.labels>>()
    const create = (statusClass: number) => responses.labels({ route, status: `${statusClass}xx` })
    return {
      count(status: number, ms: number): void {
        time.observe(ms / 1000)
        byClass.getOrInsertComputed(Math.floor(status / 100), create).inc()
      },
    }
  }
  const other = seriesOf(OTHER_ROUTES)
  const known = new Map<string, typeof other>()
  const find = (route: string | undefined) => {
    if (route === undefined) return other
    const found = known.get(route)
    if (found || known.size >= most) return found ?? other
    const made = seriesOf(route)
    known.set(route, made)
    return made
  }
  return function countRoute(route: string | undefined, status: number, ms: number): void {
    find(route).count(status, ms)
  }
}
