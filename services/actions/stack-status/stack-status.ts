// Reads the figures of the stack from the services' metrics when code of the site requests them (O4, O7). Only sums by
// service leave this process, no addresses.

import {
  type Distribution,
  type ImageFigures,
  type PageFigures,
  type ServiceFigures,
  STACK_SERVICES,
  type StackServiceName,
  type StackStatus,
} from '../../shared/wire/stack-status.ts'
import { type Counters, createCounters } from './counters.ts'
import type { Sample } from './prometheus-text.ts'
import { type ReplicaReading, readReplicas } from './read-replica.ts'

/** Shortest time between two readings, for any number of requests. */
export const READ_INTERVAL_MS = 1000

export type StackAddresses = Readonly<Record<StackServiceName, URL>>

export interface StackStatusDeps {
  /** Inner ports; each host may resolve to many replicas. */
  addresses: StackAddresses
  buildId: () => string
  /** A monotonic clock in milliseconds. */
  now: () => number
  read?: typeof readReplicas
}

const REQUESTS = 'portico_gateway_request_seconds'
const IMAGE_RESPONSES = 'portico_images_answers_total'
const PAGES = 'portico_page_cache_total'
const PHASES = 'portico_images_phase_seconds'
const WAITING = 'portico_images_queue_waiting'
const RUNNING = 'portico_images_queue_running'
const CPU = 'portico_process_cpu_seconds_total'
const MEMORY = 'portico_process_resident_memory_bytes'
const GAUGES: ReadonlySet<string> = new Set([WAITING, RUNNING, MEMORY])

const COUNTERS: ReadonlySet<string> = new Set([IMAGE_RESPONSES, PAGES, CPU])

const wants = (name: string) =>
  GAUGES.has(name) || COUNTERS.has(name) || name.startsWith(REQUESTS) || name.startsWith(PHASES)

/** Returns the reader; concurrent and quickly repeated calls share one reading. */
export function createStackStatus({
  addresses,
  buildId,
  now,
  read = readReplicas,
}: StackStatusDeps): () => Promise<StackStatus> {
  const counters = createCounters(now)
  let bounds: Readonly<Record<string, number[]>> = {}
  let reading: Promise<StackStatus> | undefined
  let readAt = Number.NEGATIVE_INFINITY

  const readAll = async (): Promise<StackStatus> => {
    const found = await Promise.all(STACK_SERVICES.map((service) => read(addresses[service], wants)))
    const all = new Map(STACK_SERVICES.map((service, index) => [service, found[index] ?? []]))
    for (const [service, replicas] of all)
      for (const { id, samples } of replicas)
        if (samples.length > 0)
          counters.add(
            service,
            id,
            samples.filter(({ name }) => !GAUGES.has(name)),
          )
    bounds = { ...bounds, ...boundsOf([...all.values()].flat()) }
    return {
      at: Date.now(),
      buildId: buildId(),
      services: STACK_SERVICES.map((name) => serviceFigures(name, all.get(name) ?? [], counters, bounds)),
      images: imageFigures(all.get('images') ?? [], counters, bounds),
      pages: pageFigures(counters),
    }
  }

  return () => {
    if (reading && now() - readAt < READ_INTERVAL_MS) return reading
    // All calls share a running reading: two readings at the same time could be added in the wrong order, and a counter
    // that seems to decrease is treated as a restart.
    readAt = Number.POSITIVE_INFINITY
    reading = readAll().finally(() => {
      readAt = now()
    })
    return reading
  }
}

type Bounds = Readonly<Record<string, number[]>>

function serviceFigures(
  name: StackServiceName,
  replicas: readonly ReplicaReading[],
  counters: Counters,
  bounds: Bounds,
): ServiceFigures {
  // The gateway also responds itself (files, redirects, refusals): without a label all responses are counted.
  const upstream = name === 'gateway' ? {} : { upstream: name }
  return {
    name,
    replicas: { known: replicas.length, ready: replicas.filter(({ isReady }) => isReady).length },
    requests: distributionOf('gateway', REQUESTS, upstream, counters, bounds),
    failed: counters.sum('gateway', `${REQUESTS}_count`, { ...upstream, status: '5xx' }),
    cpuSeconds: counters.sum(name, CPU),
    memoryBytes: gaugeOf(replicas, MEMORY),
  }
}

function imageFigures(replicas: readonly ReplicaReading[], counters: Counters, bounds: Bounds): ImageFigures {
  const responses = (outcome: string) => counters.sum('images', IMAGE_RESPONSES, { outcome })
  const [hit, stale, miss, fallback] = ['HIT', 'STALE', 'MISS', 'FALLBACK'].map(responses) as [
    number,
    number,
    number,
    number,
  ]
  const failed = counters.sum('images', IMAGE_RESPONSES) - hit - stale - miss - fallback
  return {
    answers: { hit, stale, miss, fallback, failed },
    encode: distributionOf('images', PHASES, { phase: 'encode' }, counters, bounds),
    queue: { waiting: gaugeOf(replicas, WAITING), running: gaugeOf(replicas, RUNNING) },
  }
}

function pageFigures(counters: Counters): PageFigures {
  const responses = (verdict: string) => counters.sum('renderer', PAGES, { verdict })
  return {
    answers: {
      hit: responses('HIT'),
      stale: responses('STALE'),
      miss: responses('MISS'),
      fallback: responses('FALLBACK'),
    },
  }
}

function gaugeOf(replicas: readonly ReplicaReading[], name: string): number {
  const values = replicas.flatMap(({ samples }) => samples.filter((sample) => sample.name === name))
  return values.reduce((sum, { value }) => sum + value, 0)
}

function distributionOf(
  service: StackServiceName,
  name: string,
  labels: Readonly<Record<string, string>>,
  counters: Counters,
  bounds: Bounds,
): Distribution {
  const own = bounds[name] ?? []
  return {
    count: counters.sum(service, `${name}_count`, labels),
    sum: counters.sum(service, `${name}_sum`, labels),
    bounds: own,
    atMost: own.map((le) => counters.sum(service, `${name}_bucket`, { ...labels, le: String(le) })),
  }
}

/** The bounds of each histogram, from the labels of its buckets. */
function boundsOf(replicas: readonly ReplicaReading[]): Record<string, number[]> {
  const found: Record<string, Set<number>> = {}
  const note = ({ name, labels }: Sample) => {
    const bound = Number(labels.le)
    if (!name.endsWith('_bucket') || !Number.isFinite(bound)) return
    const histogram = name.slice(0, -'_bucket'.length)
    found[histogram] ??= new Set()
    found[histogram].add(bound)
  }
  for (const { samples } of replicas) for (const sample of samples) note(sample)
  return Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set].sort((a, b) => a - b)]))
}
