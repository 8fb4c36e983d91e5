// Figures of the gateway for Prometheus. Labels are bounded: who answered, and the class of the status.

import { Counter, Gauge, type Registry } from 'prom-client'
import { DurationHistogram, type Observe } from '../shared/node/duration-histogram.ts'
import type { ReplicasByService } from './replicas/replicas-by-service.ts'
import { SERVICE_NAMES, type ServiceName } from './routes.ts'

export interface GatewayMetrics {
  /** `by`: a service, `files` or `gateway`. */
  answered(by: string, status: number, ms: number): void
  retried(service: ServiceName): void
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Registers the figures. */
export function createGatewayMetrics(registry: Registry, replicas: ReplicasByService): GatewayMetrics {
  const registers = [registry]
  const seconds = new DurationHistogram({
    name: 'portico_gateway_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
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
  // Known from the start: else the first one would be no rise of a rate.
  for (const upstream of SERVICE_NAMES) retries.inc({ upstream }, 0)
  new Gauge({
    name: 'portico_gateway_replicas',
    help: 'Replicas by state.',
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
    help: 'Requests that wait for or receive an answer of an upstream.',
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
  const series = new Map<string, Observe[]>()
  return {
    answered(by, status, ms) {
      const place = Math.floor(status / 100)
      let ofBy = series.get(by)
      if (!ofBy) {
        ofBy = []
        series.set(by, ofBy)
      }
      ofBy[place] ??= seconds.series({ upstream: by, status: `${place}xx` })
      ofBy[place](ms / 1000)
    },
    retried: (upstream) => retries.inc({ upstream }),
  }
}
