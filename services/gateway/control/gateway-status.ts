// The document at /status of the inner port: the state of the stack and of each replica behind this gateway (O4).

import { hostname } from 'node:os'
import { randomHex } from '@portico/shared/kit/http/request-id.ts'
import type { CacheFigures, GatewayMetrics } from '../metrics.ts'
import type { ReplicasByService } from '../replicas/replicas.ts'
import { SERVICE_NAMES } from '../routes.ts'

/** The figures of all services; sums only grow while `gateway` is the same, so two readings give a rate. */
interface StackStatus {
  /** Distinguishes gateways and their starts: 8 random hex digits. */
  gateway: string
  /** Start of that gateway and of its sums, and the time of reading: milliseconds since the epoch. */
  since: number
  at: number
  /** The build that the gateway serves. */
  buildId: string
  services: ServiceFigures[]
}

const STACK_SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const

interface ServiceFigures {
  name: (typeof STACK_SERVICES)[number]
  /** Replicas that the gateway knows, and how many of them are ready; of gateways, it knows itself. */
  replicas: { known: number; ready: number }
  /** Requests that the service responded to, with the time they took in all; for the gateway: all requests. */
  requests: { count: number; seconds: number }
  /** Requests with a 5xx response. */
  failed: number
  /** Responses by the verdict of the service's own cache: pages in gateway and renderers, images. */
  cache: CacheFigures
}

interface GatewayStatus {
  status: StackStatus
  host: string
  /** Why the gateway is not ready; empty when it is ready. */
  waiting: readonly string[]
  replicas: ReplicaFigures[]
}

/**
 * `since`: time of the last change of `state`, in milliseconds since the epoch. `version`: what a renderer or an
 * actions replica reported (C2).
 */
interface ReplicaFigures {
  service: string
  name: string
  state: string
  since: number
  inFlight: number
  version?: string
}

type Counts = Pick<ServiceFigures, 'requests' | 'failed' | 'cache'>

/** What one process that serves clients knows; plain data. */
export interface ServingFigures {
  replicas: ReplicaFigures[]
  counts: Record<string, Counts>
}

/** Returns the reader of the figures of this process. */
export function createServingFigures(replicas: ReplicasByService, metrics: GatewayMetrics) {
  return async function readFigures(): Promise<ServingFigures> {
    const series = await metrics.requestSeries()
    const counts = STACK_SERVICES.map((name): [string, Counts] => {
      // The gateway also responds itself (files, redirects, refusals): all series are its own.
      const own = series.filter(({ labels }) => name === 'gateway' || labels.upstream === name)
      const sum = (metric: string, of = own) =>
        of.reduce((total, { metricName, value }) => (metricName?.endsWith(metric) ? total + value : total), 0)
      const failed = own.filter(({ labels }) => labels.status === '5xx')
      return [
        name,
        {
          requests: { count: sum('_count'), seconds: sum('_sum') },
          failed: sum('_count', failed),
          cache: { ...metrics.cacheOf(name) },
        },
      ]
    })
    return { replicas: replicaFigures(replicas), counts: Object.fromEntries(counts) }
  }
}

function replicaFigures(replicas: ReplicasByService): ReplicaFigures[] {
  return SERVICE_NAMES.flatMap((service) => {
    const known = replicas.of(service)
    return known.list().map((replica) => {
      const { name, inFlight } = replica
      const since = Math.round(performance.timeOrigin + replica.since)
      const { version } = replica.state
      const state = known.stateOf(replica)
      return { service, name, state, since, inFlight, ...(version !== undefined && { version }) }
    })
  })
}

const NO_COUNTS: Counts = {
  requests: { count: 0, seconds: 0 },
  failed: 0,
  cache: { hit: 0, stale: 0, miss: 0, fallback: 0 },
}

/**
 * The figures of several processes as those of one: counts add up. A replica that is not ready for one of the processes is
 * not ready.
 */
export function mergeFigures(parts: readonly ServingFigures[]): ServingFigures {
  const merged = new Map<string, ReplicaFigures>()
  for (const replica of parts.flatMap(({ replicas }) => replicas)) {
    const key = `${replica.service} ${replica.name}`
    const other = merged.get(key)
    const inFlight = replica.inFlight + (other?.inFlight ?? 0)
    merged.set(key, { ...(other && other.state !== 'ready' ? other : replica), inFlight })
  }
  const counts = STACK_SERVICES.map((name) => {
    const each = parts.map((part) => part.counts[name] ?? NO_COUNTS)
    return [name, each.reduce(addCounts, NO_COUNTS)] as const
  })
  return { replicas: [...merged.values()], counts: Object.fromEntries(counts) }
}

function addCounts(one: Counts, other: Counts): Counts {
  const { hit, stale, miss, fallback } = other.cache
  return {
    requests: {
      count: one.requests.count + other.requests.count,
      seconds: one.requests.seconds + other.requests.seconds,
    },
    failed: one.failed + other.failed,
    cache: {
      hit: one.cache.hit + hit,
      stale: one.cache.stale + stale,
      miss: one.cache.miss + miss,
      fallback: one.cache.fallback + fallback,
    },
  }
}

/** Returns the reader of the document. */
export function createGatewayStatus(figures: () => Promise<ServingFigures>, buildId: () => string) {
  const start = { gateway: randomHex(8), since: Date.now() }
  return async function readStatus(waiting: readonly string[]): Promise<GatewayStatus> {
    const { replicas, counts } = await figures()
    const services = STACK_SERVICES.map((name): ServiceFigures => {
      const states = replicas.flatMap(({ service, state }) => (service === name ? state : []))
      if (name === 'gateway') states.push(waiting.length === 0 ? 'ready' : 'not-ready')
      const ready = states.filter((state) => state === 'ready').length
      return { name, replicas: { known: states.length, ready }, ...(counts[name] ?? NO_COUNTS) }
    })
    return { status: { ...start, at: Date.now(), buildId: buildId(), services }, host: hostname(), waiting, replicas }
  }
}
