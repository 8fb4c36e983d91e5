// Metrics of the gateway (O7). Labels are bounded: the route, the responder and the class of the status.

import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import type { ReplicasByService } from './replicas/replicas.ts'
import { createRouteMetrics } from './route-metrics.ts'
import { type Responder, SERVICE_NAMES } from './routes.ts'

export interface GatewayMetrics {
  /**
   * `by`: a service, `external`, `files`, `cache` or `gateway`. `verdict`: what the cache did, if the response reported a
   * verdict. `rendererVerdict`: what the renderer's cache did for the gateway's, whose verdict is the other one.
   */
  responded(by: string, status: number, ms: number, verdict?: string, rendererVerdict?: string): void
  /** Counts a response for its route: a pattern or the name of a line of the routing table. */
  routed(route: string | undefined, status: number, ms: number): void
  retried(upstream: Responder): void
  /** All series of the requests' histogram. */
  requestSeries(): Promise<RequestSeries>
  /** Responses of a service by cache verdict. */
  cacheOf(by: string): CacheFigures
}

type RequestSeries = readonly {
  metricName?: string
  value: number
  labels: Partial<Record<'upstream' | 'status', string | number>>
}[]

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Responses by the verdict of a cache. */
export interface CacheFigures {
  hit: number
  stale: number
  miss: number
  fallback: number
}

const VERDICTS = ['hit', 'stale', 'miss', 'fallback'] as const

/** Registers the metrics. */
export function createGatewayMetrics(registry: Registry, replicas: ReplicasByService): GatewayMetrics {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'portico_gateway_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['upstream', 'status'],
    buckets: SECONDS,
    registers,
  })
  const retries = new Counter({
    name: 'portico_gateway_retries_total',
    help: 'Requests sent to a second replica.',
    labelNames: ['upstream'],
    registers,
  })
  // All series start at 0: otherwise rate() would not count the first retry.
  for (const upstream of SERVICE_NAMES) retries.inc({ upstream }, 0)
  new Gauge({
    name: 'portico_gateway_replicas',
    help: 'Replicas by state.',
    // Each worker knows the same replicas.
    aggregator: 'max',
    labelNames: ['upstream', 'state'],
    registers,
    collect() {
      this.reset()
      for (const upstream of SERVICE_NAMES) {
        const of = replicas.of(upstream)
        this.set({ upstream, state: 'ready' }, 0)
        for (const replica of of.list()) this.inc({ upstream, state: of.stateOf(replica) })
      }
    },
  })
  new Gauge({
    name: 'portico_gateway_in_flight',
    help: 'Requests that wait for or receive a response of an upstream.',
    labelNames: ['upstream'],
    registers,
    collect() {
      for (const upstream of SERVICE_NAMES) {
        const total = replicas
          .of(upstream)
          .list()
          .reduce((sum, replica) => sum + replica.inFlight, 0)
        this.set({ upstream }, total)
      }
    },
  })
  const verdicts = new Map<string, CacheFigures>()
  const cacheOf = (by: string) => verdicts.getOrInsertComputed(by, () => ({ hit: 0, stale: 0, miss: 0, fallback: 0 }))
  const countVerdict = (by: string, verdict: string | undefined) => {
    // Failed image requests report their status as verdict.
    const kind = verdict && VERDICTS.find((each) => each === verdict.toLowerCase())
    if (kind) cacheOf(by)[kind]++
  }
  return {
    responded(by, status, ms, verdict, rendererVerdict) {
      const isOwn = by === 'cache' || rendererVerdict !== undefined
      countVerdict(isOwn ? 'gateway' : by, verdict)
      countVerdict('renderer', rendererVerdict)
      seconds.observe({ upstream: by, status: `${Math.floor(status / 100)}xx` }, ms / 1000)
    },
    routed: createRouteMetrics(registry),
    retried: (upstream) => retries.inc({ upstream }),
    requestSeries: async () => (await seconds.get()).values,
    cacheOf,
  }
}
