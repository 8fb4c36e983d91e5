// What making a variant ends in: a picture or a failure, and for how long it may be kept (I5, I6).

import type { ImageSettings } from '../shared/wire/build-output.ts'
import type { Phase } from './image-metrics.ts'
import type { Source } from './params.ts'
import { type FailureStatus, failureKey, type TargetFormat, type Variant, type VariantMeta } from './variant.ts'

export interface VariantTask {
  key: string
  source: Source
  target: TargetFormat
  width: number
  quality: number
  requestId: string
}

export interface Made {
  variant: Variant
  /** Milliseconds that it is fresh; 0 means that nobody may keep it. */
  lifetimeMs: number
  /** Milliseconds by phase, for Server-Timing. */
  timings: Partial<Record<Phase, number>>
  /** For the log, when it is a failure. */
  reason?: string
}

/** How long a failure is remembered, in milliseconds: long enough to stop a stampede, short enough to be mended. */
const FAILURE_MS: Record<FailureStatus, number> = {
  400: 60_000,
  404: 30_000,
  410: 30_000,
  413: 60_000,
  415: 60_000,
  502: 5000,
  503: 5000,
  504: 5000,
}
/** A picture that ran into the deadline while it was encoded will do so again. */
export const HOPELESS_MS = 60_000
/** Lifetimes are shortened by up to this share, so that what was stored together is not refreshed together. */
const JITTER = 0.1

export interface Failing {
  status: FailureStatus
  /** For the visitor. */
  text: string
  /** For the log. */
  reason: string
  keepMs?: number
}

export interface MadeBuilder {
  /** The header of a variant that is made now; the caller fills in what the bytes tell. */
  start(task: VariantTask, generation: number, lifetimeSeconds: number, tags: string[]): VariantMeta
  fail(task: VariantTask, generation: number, failing: Failing): Made
  /** The old bytes with a new lifetime; what the source did not tell again stays as it was. */
  renew(old: Variant, generation: number, lifetimeSeconds: number | undefined, tags: string[] | undefined): Made
}

/** `now` is milliseconds since the epoch, `random` 0 to 1. */
export function createMadeBuilder(settings: ImageSettings, now: () => number, random: () => number): MadeBuilder {
  const lifetimeMsOf = (seconds: number) => {
    const least = Math.min(seconds, settings.minimumCacheTTL)
    return Math.max(least, seconds * (1 - JITTER * random())) * 1000
  }
  return {
    start: (task, generation, seconds, tags) => ({
      ...blankMeta(task, generation, now(), lifetimeMsOf(seconds)),
      tags,
    }),
    fail(task, generation, { status, text, reason, keepMs = FAILURE_MS[status] }) {
      const meta: VariantMeta = {
        ...blankMeta(task, generation, now(), keepMs),
        key: failureKey(task.key),
        kind: 'failure',
        failure: { status, text },
      }
      return { variant: { meta, body: Buffer.alloc(0) }, lifetimeMs: keepMs, timings: {}, reason }
    },
    renew(old, generation, seconds, tags = old.meta.tags) {
      const lifetimeMs = seconds === undefined ? old.meta.freshUntil - old.meta.storedAt : lifetimeMsOf(seconds)
      const meta = { ...old.meta, generation, tags, storedAt: now(), freshUntil: now() + lifetimeMs }
      return { variant: { meta, body: old.body }, lifetimeMs, timings: {} }
    },
  }
}

function blankMeta(task: VariantTask, generation: number, storedAt: number, lifetimeMs: number): VariantMeta {
  return {
    key: task.key,
    kind: 'image',
    source: task.source.url,
    tags: [],
    type: '',
    etag: '',
    storedAt,
    freshUntil: storedAt + lifetimeMs,
    generation,
    passThrough: false,
    validators: {},
  }
}
