// Counters and histograms of the images service (O7).

import { tracePast } from '@portico/shared/kit/observe/tracing.ts'
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import { REJECTION_CAUSES, type RejectionCause } from './queue/queue.ts'

export type Verdict = 'HIT' | 'STALE' | 'MISS' | 'FALLBACK'
export type Phase = 'queue' | 'fetch' | 'decode' | 'encode'

const GAUGES = {
  memoryBytes: ['memory_cache_bytes', 'Bytes of variants in memory.'],
  queueWaiting: ['queue_waiting', 'Jobs that wait for an encoder.'],
  queueRunning: ['queue_running', 'Jobs that an encoder runs.'],
  encodersLive: ['encoders_live', 'Encoder children that respond.'],
  storeAvailable: ['store_available', '1 while Redis responds or the disk can be written.'],
} as const

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8]

export type ImageMetrics = ReturnType<typeof createImageMetrics>

/** Registers counters and histograms. */
export function createImageMetrics(registry: Registry) {
  const registers = [registry]
  const duration = new Histogram({
    name: 'portico_images_answer_seconds',
    help: 'Time from request to response by cache verdict or status.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  })
  /** Outcomes are few: their series are looked up once for each, and not for each response. */
  const series = new Map<string, { count: number; duration: ReturnType<typeof duration.labels> }>()
  const seriesOf = (outcome: string) =>
    series.getOrInsertComputed(outcome, () => ({ count: 0, duration: duration.labels({ outcome }) }))
  new Counter({
    name: 'portico_images_answers_total',
    help: 'Responses by cache verdict, or by status for responses without an image.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, { count }] of series) this.inc({ outcome }, count)
    },
  })
  const phases = new Histogram({
    name: 'portico_images_phase_seconds',
    help: 'Time in each phase of making a variant.',
    labelNames: ['phase'],
    buckets: SECONDS,
    registers,
  })
  const faults = new Counter({
    name: 'portico_images_encoder_faults_total',
    help: 'Encoder children that died or were killed at the deadline.',
    labelNames: ['kind'],
    registers,
  })
  // Both series start at 0: the first fault would else be no increase for rate().
  for (const kind of ['died', 'killed']) faults.inc({ kind }, 0)
  const rejections = new Counter({
    name: 'portico_images_rejected_total',
    help: 'Requests for a variant that was not made, by cause; each got a wider variant or an error.',
    labelNames: ['cause'],
    registers,
  })
  for (const cause of REJECTION_CAUSES) rejections.inc({ cause }, 0)
  return {
    rejected: (cause: RejectionCause) => rejections.inc({ cause }),
    /** An encoder died while it processed an image, or was killed at the deadline. */
    encoderFault: (kind: 'died' | 'killed') => faults.inc({ kind }),
    /** `outcome` is a verdict, or the status of a failure. */
    responded(outcome: Verdict | `${number}`, milliseconds: number): void {
      const one = seriesOf(outcome)
      one.count++
      one.duration.observe(milliseconds / 1000)
    },
    /** Also a span of the request's trace, which ended `agoMs` ago. */
    phase(phase: Phase, milliseconds: number, agoMs?: number): void {
      phases.observe({ phase }, milliseconds / 1000)
      tracePast(phase, milliseconds, agoMs)
    },
  }
}

/** Registers gauges; each scrape reads them. */
export function registerGauges(registry: Registry, read: Record<keyof typeof GAUGES, () => number | boolean>): void {
  for (const [key, [name, help]] of Object.entries(GAUGES))
    new Gauge({
      name: `portico_images_${name}`,
      help,
      registers: [registry],
      collect() {
        // Object.entries drops the names of the keys.
        this.set(Number(read[key as keyof typeof GAUGES]()))
      },
    })
}
