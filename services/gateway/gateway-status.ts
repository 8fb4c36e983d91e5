// The document at /status of the inner port: the state of the stack and of each replica behind this gateway (O4).

import { hostname } from 'node:os'
import { randomHex } from '@portico/shared/kit/http/request-id.ts'
import { type ServiceFigures, STACK_SERVICES, type StackStatus } from '@portico/shared/wire/stack-status.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'
import type { ReplicasByService } from './replicas/replicas-by-service.ts'
import { SERVICE_NAMES } from './routes.ts'

export interface GatewayStatus {
  /** SECURITY: the only member that pages may show. Names of machines and addresses are in the other members. */
  status: StackStatus
  host: string
  /**
   * `since`: time of the last change of `state`, in milliseconds since the epoch. `version`: what a renderer reported (C2).
   */
  replicas: { service: string; name: string; state: string; since: number; inFlight: number; version?: string }[]
}

/** Returns the reader of the document. */
export function createGatewayStatus(replicas: ReplicasByService, metrics: GatewayMetrics, buildId: () => string) {
  const start = { gateway: randomHex(8), since: Date.now() }
  return async function readStatus(isReady: boolean): Promise<GatewayStatus> {
    const members = SERVICE_NAMES.flatMap((service) => {
      const known = replicas.of(service)
      return known.list().map((replica) => {
        const { name, inFlight } = replica
        const since = Math.round(performance.timeOrigin + replica.since)
        const { version } = replica.state
        return {
          service,
          name,
          state: known.stateOf(replica),
          since,
          inFlight,
          ...(version !== undefined && { version }),
        }
      })
    })
    const series = await metrics.requestSeries()
    const services = STACK_SERVICES.map((name): ServiceFigures => {
      const states = members.flatMap(({ service, state }) => (service === name ? state : []))
      if (name === 'gateway') states.push(isReady ? 'ready' : 'not-ready')
      // The gateway also responds itself (files, redirects, refusals): all series are its own.
      const own = series.filter(({ labels }) => name === 'gateway' || labels.upstream === name)
      const sum = (metric: string, of = own) =>
        of.reduce((total, { metricName, value }) => (metricName?.endsWith(metric) ? total + value : total), 0)
      return {
        name,
        replicas: { known: states.length, ready: states.filter((state) => state === 'ready').length },
        requests: { count: sum('_count'), seconds: sum('_sum') },
        failed: sum(
          '_count',
          own.filter(({ labels }) => labels.status === '5xx'),
        ),
        cache: { ...metrics.cacheOf(name) },
      }
    })
    return { status: { ...start, at: Date.now(), buildId: buildId(), services }, host: hostname(), replicas: members }
  }
}
