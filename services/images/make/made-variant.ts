// The result of making a variant: an image or a failure, and the time for which the result may be stored (I5, I6).

import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import type { Phase } from '../metrics.ts'
import type { Source } from '../source/source.ts'
import {
  type Failed,
  type FailureStatus,
  failureKey,
  type TargetFormat,
  type Variant,
  type VariantMeta,
} from '../variant/variant.ts'

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
  /** Caches may store the variant. */
  isStorable: boolean
  /** Milliseconds by phase, for Server-Timing. */
  timings: Partial<Record<Phase, number>>
  /** For the log; only failures have a reason. */
  reason?: string
}

/** How long a failure is cached, in milliseconds: long enough to stop a stampede, short enough to notice a fix. */
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
/** For the client. */
export const TOO_LATE = 'The image took too long to make.'
/** An image whose encoding reached the deadline would reach the deadline again. */
export const DEADLINE_FAILURE_MS = 60_000
/** Lifetimes are shortened by up to this share, so that variants stored together are not refreshed together. */
const JITTER = 0.1

/** `now` is milliseconds since the epoch, `random` 0 to 1. */
export function createMadeBuilder(settings: ImageSettings, now: () => number, random: () => number) {
  const lifetimeMsOf = (seconds: number) => {
    const least = Math.min(seconds, settings.minimumCacheTTL)
    return Math.max(least, seconds * (1 - JITTER * random())) * 1000
  }
  return {
    /** The metadata of a new variant; shape-variant.ts adds the members that depend on the bytes. */
    start: (task: VariantTask, generation: number, seconds: number, tags: string[]): VariantMeta => ({
      ...blankMeta(task, generation, now(), lifetimeMsOf(seconds)),
      tags,
    }),
    fail(task: VariantTask, generation: number, failed: Failed): Made {
      const { status, text, reason, keepMs = FAILURE_MS[status] } = failed
      const meta: VariantMeta = {
        ...blankMeta(task, generation, now(), keepMs),
        key: failureKey(task.key),
        kind: 'failure',
        failure: { status, text },
      }
      return { variant: { meta, body: Buffer.alloc(0) }, isStorable: true, timings: {}, reason }
    },
    /** The old bytes with a new lifetime. Undefined members keep their old values. */
    renew(old: Variant, generation: number, seconds: number | undefined, tags = old.meta.tags): Made {
      const lifetimeMs = seconds === undefined ? old.meta.freshUntil - old.meta.storedAt : lifetimeMsOf(seconds)
      const meta = { ...old.meta, generation, tags, storedAt: now(), freshUntil: now() + lifetimeMs }
      return { variant: { meta, body: old.body }, isStorable: lifetimeMs > 0, timings: {} }
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
