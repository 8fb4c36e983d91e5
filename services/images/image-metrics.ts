// Counters and histograms of the images service (O7).

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { DurationHistogram, type Observe } from '../shared/node/duration-histogram.ts'
import { tracePast } from '../shared/node/tracing.ts'

export type Verdict = 'HIT' | 'STALE' | 'MISS' | 'FALLBACK'
export type Phase = 'queue' | 'fetch' | 'decode' | 'encode'

export interface ImageMetrics {
  /** `outcome` is a verdict, or the status of a failure. */
  answered(outcome: Verdict | `${number}`, milliseconds: number): void
  /** Also a span of the request's trace, which ended `agoMs` ago. */
  phase(phase: Phase, milliseconds: number, agoMs?: number): void
  /** An encoder died of a picture, or was killed at the deadline. */
  encoderFault(kind: 'died' | 'killed'): void
}

export interface Gauges {
  memoryBytes: () => number
  queueWaiting: () => number
  queueRunning: () => number
  encodersLive: () => number
  storeAvailable: () => boolean
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8]

/** Registers everything; gauges are read when Prometheus asks. */
export function createImageMetrics(registry: Registry): ImageMetrics {
  const registers = [registry]
  const answered = new Map<string, { count: number; observe: Observe }>()
  new Counter({
    name: 'portico_images_answers_total',
    help: 'Answers by cache verdict, or by status where there was no picture.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, { count }] of answered) this.inc({ outcome }, count)
    },
  })
  const duration = new DurationHistogram({
    name: 'portico_images_answer_seconds',
    help: 'Time from request to answer by cache verdict or status.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
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
  // Known from the start: else the first one would be no rise of a rate.
  for (const kind of ['died', 'killed']) faults.inc({ kind }, 0)
  return {
    encoderFault: (kind) => faults.inc({ kind }),
    answered(outcome, milliseconds) {
      let series = answered.get(outcome)
      if (!series) {
        series = { count: 0, observe: duration.series({ outcome }) }
        answered.set(outcome, series)
      }
      series.count++
      series.observe(milliseconds / 1000)
    },
    phase(phase, milliseconds, agoMs) {
      phases.observe({ phase }, milliseconds / 1000)
      tracePast(phase, milliseconds, agoMs)
    },
  }
}

/** Gauges of the parts, once they exist. */
export function registerGauges(registry: Registry, gauges: Gauges): void {
  const gauge = (name: string, help: string, read: () => number) => {
    new Gauge({
      name: `portico_images_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  }
  gauge('memory_cache_bytes', 'Bytes of variants in memory.', gauges.memoryBytes)
  gauge('queue_waiting', 'Jobs that wait for an encoder.', gauges.queueWaiting)
  gauge('queue_running', 'Jobs that an encoder works on.', gauges.queueRunning)
  gauge('encoders_live', 'Encoder children that answer.', gauges.encodersLive)
  gauge('store_available', '1 while Redis or the disk answers.', () => Number(gauges.storeAvailable()))
}
