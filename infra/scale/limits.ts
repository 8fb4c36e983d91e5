// Which limit a plan reaches first: bounds of the services that more replicas do not raise, or that replicas themselves
// bring nearer.

import { PROBE_INTERVAL_MS } from '@portico/gateway/replicas/replicas.ts'
import { READ_MS } from '@portico/shared/kit/feed/feed.ts'
import {
  IDEMPOTENCY_BUDGET_BYTES,
  IDEMPOTENCY_KEEP_MS,
  IDEMPOTENCY_ROW_BYTES,
  MAX_CONNECTIONS,
} from '@portico/shared/wire/constants.ts'
import { PROCESS_LIMIT_MS, TRUSTED_MS } from '@portico/shared/wire/invalidation.ts'
import type { ClusterFigures } from './figures.ts'
import type { Plan } from './model.ts'

interface Limit {
  name: string
  /** Of the bound; above 1 the plan does not work as it is. */
  share: number
  text: string
  remedy: string
}

/** Of one core of a gateway, or of a replica. */
const PROBE_SHARE = 0.1
/** Redis runs commands on one thread. */
const REDIS_CORES = 0.5
/** Of the time that a publisher waits: the rest is for the network and for busy processes. */
const PUBLISH_SHARE = 0.5
/** A browser keeps its connection for the gateway's keep-alive time, and sends this many requests in it. */
const REQUESTS_OF_A_CONNECTION = 20
const KEEP_ALIVE_SECONDS = 75

/** All limits, the nearest first. */
export function limitsOf(plan: Plan, figures: ClusterFigures): Limit[] {
  return [...probeLimits(plan, figures), ...feedLimits(plan, figures), ...storeLimits(plan)].sort(
    (left, right) => right.share - left.share,
  )
}

function probeLimits({ probed, probing }: Plan, { probes }: ClusterFigures): Limit[] {
  const perSecond = 1000 / PROBE_INTERVAL_MS
  const sent = (probed * perSecond * probes.gatewayMs) / 1000
  const received = (probing * perSecond * probes.replicaMs) / 1000
  const remedy = 'fewer, larger gateways; see “Probes”'
  return [
    {
      name: 'probes that a gateway sends',
      share: sent / PROBE_SHARE,
      text: `${Math.round(probed * perSecond)}/s, ${percent(sent)} of a core`,
      remedy,
    },
    {
      name: 'probes that an actions replica receives',
      share: received / PROBE_SHARE,
      text: `${Math.round(probing * perSecond)}/s, ${percent(received)} of a core`,
      remedy,
    },
  ]
}

function feedLimits({ traffic, feeds, redis }: Plan, { messages }: ClusterFigures): Limit[] {
  const publishMs = feeds * messages.publisherMs
  const limits = [
    {
      name: 'messages of one change',
      share: publishMs / (PUBLISH_SHARE * PROCESS_LIMIT_MS),
      text: `${feeds} messages, ${Math.round(publishMs)} ms of processor time before the action responds`,
      remedy: 'fewer gateways and renderers; tags that change together in one action',
    },
    {
      name: 'state Redis',
      share: redis.cores / REDIS_CORES,
      text: `${percent(redis.cores)} of a core`,
      remedy: 'fewer processes; fewer changes',
    },
  ]
  if (traffic.regions === 1) return limits
  // Reads begin at multiples of the interval, one at a time; what a process knows is as old as the read before the last.
  const { roundTripMs } = traffic
  const ageMs = Math.max(1, Math.ceil(roundTripMs / READ_MS)) * READ_MS + roundTripMs
  return [
    ...limits,
    {
      name: 'distance to the state Redis',
      share: ageMs / TRUSTED_MS,
      text: `marks are up to ${Math.round(ageMs)} ms old, trusted for ${TRUSTED_MS} ms`,
      remedy: 'a CDN instead of gateways in that region',
    },
  ]
}

function storeLimits({ traffic, originPerSecond, services }: Plan): Limit[] {
  const records = traffic.requestsPerSecond * traffic.mix.action
  const bytes = (records * IDEMPOTENCY_KEEP_MS * IDEMPOTENCY_ROW_BYTES) / 1000
  const keptMinutes = IDEMPOTENCY_BUDGET_BYTES / IDEMPOTENCY_ROW_BYTES / records / 60
  const connections = ((originPerSecond / REQUESTS_OF_A_CONNECTION) * KEEP_ALIVE_SECONDS) / services.gateway.replicas
  return [
    {
      name: 'records of submissions for a day',
      share: bytes / IDEMPOTENCY_BUDGET_BYTES,
      text: `${size(bytes)} of ${size(IDEMPOTENCY_BUDGET_BYTES)}${bytes > IDEMPOTENCY_BUDGET_BYTES ? `: kept for ${Math.round(keptMinutes)} minutes` : ''}`,
      remedy: 'none by a setting: the oldest records are dropped first',
    },
    {
      name: 'connections of a gateway',
      share: connections / MAX_CONNECTIONS,
      text: `${Math.round(connections)} of ${MAX_CONNECTIONS}`,
      remedy: 'a proxy or CDN in front, or a larger MAX_CONNECTIONS with its memory',
    },
  ]
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
}

function size(bytes: number): string {
  const megabytes = bytes / 2 ** 20
  return megabytes >= 1024 ? `${(megabytes / 1024).toFixed(1)} GB` : `${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB`
}
