// The capacity model: requests a second by kind → replicas of each service, memory, and the load of the state Redis.
// limits.ts says what of it is too much.

import { PROBE_INTERVAL_MS } from '@portico/gateway/replicas/replicas.ts'
import { READ_MS } from '@portico/shared/kit/feed/feed.ts'
import type { Costs, Kind, Part } from './costs.ts'
import { COSTS, KINDS } from './costs.ts'
import type { ClusterFigures } from './figures.ts'

export interface Traffic {
  /** Of all clients, those that a CDN responds to included. */
  requestsPerSecond: number
  /** Each with gateways, renderers and images; actions, state Redis and database are in the first one. */
  regions: number
  /** Share of the requests for pages of all clients, files and images to which a CDN responds. */
  cdnShare: number
  /** Share of each kind; the sum is 1. */
  mix: Readonly<Record<Kind, number>>
  /** Changes that revalidate pages or tags. */
  changesPerSecond: number
  /** Round trip between the first region and the farthest one. */
  roundTripMs: number
}

export interface Plan {
  traffic: Traffic
  /** In all regions. */
  services: Readonly<Record<Part, { replicas: number; perRegion: number; cores: number; memoryMb: number }>>
  /** Requests a second that reach gateways. */
  originPerSecond: number
  /** Replicas that a gateway of the first region probes, and gateways of all regions that probe an actions replica. */
  probed: number
  probing: number
  probesPerSecond: number
  /** Processes with a feed. */
  feeds: number
  redis: { cores: number; readsPerSecond: number; messagesPerSecond: number }
}

export const DEFAULT_MIX: Traffic['mix'] = {
  page: 0.4,
  file: 0.3,
  image: 0.24,
  rendered: 0.05,
  action: 0.009,
  'new-image': 0.001,
}

/** Of a core, when every replica is there. */
const BUSY_SHARE = 0.7
/** In each region, for a replica that is lost or replaced. */
const SPARE_REPLICAS = 1
/** Limits of the containers in docker-compose.yml. */
const MEMORY_MB: Readonly<Record<Part, number>> = { gateway: 384, renderer: 512, images: 1024, actions: 384 }
const CACHED_BY_CDN: readonly Kind[] = ['page', 'file', 'image']
const PARTS: readonly Part[] = ['gateway', 'renderer', 'images', 'actions']

/** Beyond this number replicas cost each other more than they add. */
const MOST_REPLICAS = 100_000

/** What the traffic needs. The work of replicas for each other grows with their number, so that it is computed in rounds. */
export function planCapacity(traffic: Traffic, figures: ClusterFigures, costs: Costs = COSTS): Plan {
  checkTraffic(traffic)
  const rates = originRates(traffic)
  const workMs = (part: Part | 'redis') => sum(KINDS.map((kind) => rates[kind] * (costs[kind][part] ?? 0)))
  const regionsOf = (part: Part) => (part === 'actions' ? 1 : traffic.regions)
  let perRegion: Record<Part, number> = { gateway: 1, renderer: 1, images: 1, actions: 1 }
  for (;;) {
    const mutual = mutualWork(perRegion, traffic, figures)
    const cores = byPart((part) => workMs(part) / 1000 + mutual.coresOf[part])
    const next = byPart((part) => Math.ceil(cores[part] / regionsOf(part) / BUSY_SHARE) + SPARE_REPLICAS)
    // Numbers only grow, so that the rounds end.
    const grown = byPart((part) => Math.max(next[part], perRegion[part]))
    checkReplicas(grown, traffic)
    if (PARTS.every((part) => grown[part] === perRegion[part]))
      return {
        traffic,
        services: byPart((part) => {
          const replicas = grown[part] * regionsOf(part)
          return { replicas, perRegion: grown[part], cores: cores[part], memoryMb: replicas * MEMORY_MB[part] }
        }),
        originPerSecond: sum(KINDS.map((kind) => rates[kind])),
        ...mutual.counts,
        redis: { ...mutual.redis, cores: mutual.redis.cores + workMs('redis') / 1000 },
      }
    perRegion = grown
  }
}

function checkReplicas(perRegion: Readonly<Record<Part, number>>, traffic: Traffic): void {
  const part = PARTS.find((each) => !(perRegion[each] <= MOST_REPLICAS))
  if (part === undefined) return
  const { requestsPerSecond, regions, changesPerSecond } = traffic
  const given = `requests=${requestsPerSecond}, regions=${regions} and changes=${changesPerSecond}`
  throw new RangeError(`${given} need more than ${MOST_REPLICAS} replicas of ${part} in a region: lower one of them`)
}

/** What replicas do for each other: probes, reads of the marks, messages of changes. */
function mutualWork(perRegion: Readonly<Record<Part, number>>, traffic: Traffic, figures: ClusterFigures) {
  const { regions, changesPerSecond } = traffic
  const { probes, reads, messages } = figures
  const gateways = perRegion.gateway * regions
  // A gateway knows the renderers and images of its region, and the actions services.
  const probed = perRegion.renderer + perRegion.images + perRegion.actions
  const perProbeRate = 1000 / PROBE_INTERVAL_MS
  const probesPerSecond = gateways * probed * perProbeRate
  const feeds = gateways + perRegion.renderer * regions + perRegion.actions
  const readsPerSecond = (feeds * 1000) / READ_MS
  const feedMs = (1000 / READ_MS) * reads.readMs + changesPerSecond * messages.receiverMs
  const receivedMs = (replicas: number, by: number) => replicas * by * perProbeRate * probes.replicaMs
  const coresOf: Record<Part, number> = {
    gateway: (probesPerSecond * probes.gatewayMs + gateways * feedMs) / 1000,
    renderer:
      (receivedMs(perRegion.renderer * regions, perRegion.gateway) + perRegion.renderer * regions * feedMs) / 1000,
    images: receivedMs(perRegion.images * regions, perRegion.gateway) / 1000,
    actions:
      (receivedMs(perRegion.actions, gateways) +
        perRegion.actions * feedMs +
        changesPerSecond * feeds * messages.publisherMs) /
      1000,
  }
  const perChangeMs = (messages.redisMs * feeds) / messages.processes
  return {
    coresOf,
    counts: { probed, probing: gateways, probesPerSecond, feeds },
    redis: {
      cores: (readsPerSecond * reads.redisMs + changesPerSecond * perChangeMs) / 1000,
      readsPerSecond,
      messagesPerSecond: changesPerSecond * feeds,
    },
  }
}

/** Requests a second that the CDN leaves to the gateways. */
function originRates({ requestsPerSecond, cdnShare, mix }: Traffic): Record<Kind, number> {
  const shareOf = (kind: Kind) => mix[kind] * (CACHED_BY_CDN.includes(kind) ? 1 - cdnShare : 1)
  return Object.fromEntries(KINDS.map((kind) => [kind, requestsPerSecond * shareOf(kind)])) as Record<Kind, number>
}

function checkTraffic({ requestsPerSecond, regions, cdnShare, mix, changesPerSecond, roundTripMs }: Traffic): void {
  if (!(requestsPerSecond > 0 && requestsPerSecond <= 1_000_000))
    throw new RangeError(`requests=${requestsPerSecond} must be above 0 and at most 1000000`)
  if (!(Number.isSafeInteger(regions) && regions >= 1 && regions <= 50))
    throw new RangeError(`regions=${regions} must be a whole number from 1 to 50`)
  if (!(cdnShare >= 0 && cdnShare <= 1)) throw new RangeError(`cdn=${cdnShare} must be from 0 to 1`)
  if (!(changesPerSecond >= 0 && changesPerSecond <= 10_000))
    throw new RangeError(`changes=${changesPerSecond} must be from 0 to 10000`)
  if (!(roundTripMs >= 0)) throw new RangeError(`round-trip=${roundTripMs} must be 0 or more`)
  if (KINDS.some((kind) => !(mix[kind] >= 0))) throw new RangeError('a share of the mix must be 0 or more')
  const whole = sum(Object.values(mix))
  if (Math.abs(whole - 1) > 1e-6) throw new RangeError(`the shares of the mix are ${whole} together, and must be 1`)
}

function byPart<T>(map: (part: Part) => T): Record<Part, T> {
  return { gateway: map('gateway'), renderer: map('renderer'), images: map('images'), actions: map('actions') }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
