// Makes one variant from nothing: fetch, look at the bytes, pass through or encode (the long way of an image).

import type { Log } from '../shared/node/log.ts'
import type { ImageSettings } from '../shared/wire/build-output.ts'
import type { Purges } from './cache/purges.ts'
import type { EncoderPool } from './encoding/encoder-pool.ts'
import type { EncodeEnd } from './encoding/encoder-process.ts'
import { type EncodeQueue, estimateCost } from './encoding/queue.ts'
import { createFlights, type FlightContext } from './flights.ts'
import type { ImageMetrics, Phase } from './image-metrics.ts'
import type { Source } from './params.ts'
import type { FetchedSource, SourceFetcher } from './source/fetch-source.ts'
import { type Sniffed, sniffType } from './source/sniff-type.ts'
import { etagOf, type FailureStatus, failureKey, type TargetFormat, type Variant, type VariantMeta } from './variant.ts'

/** One deadline over all phases of a request (I4). */
export const TOTAL_TIMEOUT_MS = 8000

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

export interface VariantMaker {
  /** `old` is asked again by its validators and kept when the source did not change. */
  make(task: VariantTask, flight: FlightContext, old?: Variant): Promise<Made>
}

export interface VariantMakerDeps {
  settings: ImageSettings
  fetcher: SourceFetcher
  queue: EncodeQueue
  pool: EncoderPool
  purges: Purges
  metrics: ImageMetrics
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  /** 0 to 1; spreads lifetimes. */
  random: () => number
}

/** How long a failure is remembered, in milliseconds: long enough to stop a stampede, short enough to be mended (I6). */
const FAILURE_MS: Record<FailureStatus, number> = {
  400: 60_000,
  404: 30_000,
  410: 30_000,
  413: 60_000,
  415: 60_000,
  502: 5000,
  503: 0,
  504: 5000,
}
/** A picture that ran into the deadline while it was encoded will do so again. */
const HOPELESS_MS = 60_000
/** Lifetimes are shortened by up to this share, so that what was stored together is not refreshed together. */
const JITTER = 0.1
/** Frames of a picture that passes through: nothing here decodes them, browsers do. */
export const MAXIMUM_FRAMES = 1000

type Fetched = Extract<FetchedSource, { kind: 'fetched' }>

/** Source fetches under way are shared by all sizes of one picture. */
export function createVariantMaker(deps: VariantMakerDeps): VariantMaker {
  const { settings, now, random, metrics } = deps
  const fetches = createFlights<FetchedSource>()

  const lifetimeOf = (seconds: number) => {
    const least = Math.min(seconds, settings.minimumCacheTTL)
    return Math.max(least, seconds * (1 - JITTER * random())) * 1000
  }
  const fail = (
    task: VariantTask,
    generation: number,
    status: FailureStatus,
    text: string,
    reason: string,
    keepMs = FAILURE_MS[status],
  ): Made => {
    const meta = baseMeta(task, generation, now(), keepMs)
    const variant: Variant = {
      meta: { ...meta, key: failureKey(task.key), kind: 'failure', failure: { status, text } },
      body: Buffer.alloc(0),
    }
    return { variant, lifetimeMs: keepMs, timings: {}, reason }
  }
  const renew = (old: Variant, generation: number, seconds: number, tags: string[]): Made => {
    const lifetimeMs = lifetimeOf(seconds)
    const meta = { ...old.meta, generation, tags, storedAt: now(), freshUntil: now() + lifetimeMs }
    return { variant: { meta, body: old.body }, lifetimeMs, timings: {} }
  }

  return {
    async make(task, flight, old) {
      const generation = deps.purges.current()
      const started = performance.now()
      const deadline = AbortSignal.timeout(TOTAL_TIMEOUT_MS)
      const signal = AbortSignal.any([flight.signal, deadline])
      try {
        const validators = old?.meta.validators
        const fetchKey = JSON.stringify([task.source.url, generation, validators?.etag, validators?.modified])
        const fetched = await fetches.join(fetchKey, { signal, class: flight.urgency.class }, (shared) =>
          deps.fetcher.fetch(task.source, {
            ...(validators ? { validators } : {}),
            signal: shared.signal,
            requestId: task.requestId,
          }),
        )
        const fetchMs = performance.now() - started
        metrics.phase('fetch', fetchMs)
        if (fetched.kind === 'failed') return fail(task, generation, fetched.status, fetched.text, fetched.reason)
        if (old && (fetched.kind === 'not-modified' || fetched.validators.hash === old.meta.validators.hash))
          return renew(old, generation, fetched.lifetimeSeconds, fetched.tags)
        if (fetched.kind === 'not-modified')
          return fail(task, generation, 502, 'The source of the image could not be fetched.', '304 without a question')
        const meta = { ...baseMeta(task, generation, now(), lifetimeOf(fetched.lifetimeSeconds)), tags: fetched.tags }
        const made = await shape({ ...deps, fail }, task, { ...flight, signal }, fetched, meta)
        return { ...made, timings: { fetch: fetchMs, ...made.timings } }
      } catch (error) {
        if (!deadline.aborted) throw error
        return fail(task, generation, 504, 'The image took too long to make.', 'over the total time limit')
      }
    },
  }
}

interface Shaper extends VariantMakerDeps {
  fail: (
    task: VariantTask,
    generation: number,
    status: FailureStatus,
    text: string,
    reason: string,
    keepMs?: number,
  ) => Made
}

/** Decides by the bytes what becomes of them (I3). */
async function shape(
  deps: Shaper,
  task: VariantTask,
  flight: FlightContext,
  fetched: Fetched,
  meta: VariantMeta,
): Promise<Made> {
  const { settings } = deps
  const fail = (status: FailureStatus, text: string, reason: string, keepMs?: number) =>
    deps.fail(task, meta.generation, status, text, reason, keepMs)
  const sniffed = sniffType(fetched.body)
  if (!sniffed) return fail(415, 'The source is no picture of a known type.', 'unknown magic bytes')
  if (sniffed.type === 'image/svg+xml' && !settings.dangerouslyAllowSVG)
    return fail(415, 'The source is an SVG, which this site does not allow.', 'images.dangerouslyAllowSVG is not set')
  const pixels = (sniffed.width ?? 0) * (sniffed.height ?? 0)
  if (pixels > settings.maximumPixels || sniffed.frames > MAXIMUM_FRAMES)
    return fail(413, 'The source has too many pixels or frames.', `${pixels} pixels, ${sniffed.frames} frames`)
  const lifetimeMs = fetched.lifetimeSeconds === 0 ? 0 : meta.freshUntil - meta.storedAt
  const finish = (body: Buffer, changes: Partial<VariantMeta>, timings: Made['timings']): Made => ({
    variant: { meta: { ...meta, etag: etagOf(body), validators: fetched.validators, ...changes }, body },
    lifetimeMs,
    timings,
  })
  if (task.target === 'facts' && sniffed.type === 'image/svg+xml')
    return finish(factsBody(sniffed, undefined), { kind: 'facts', type: FACTS_TYPE }, {})
  if (task.target !== 'facts' && passesThrough(sniffed))
    return finish(fetched.body, { type: sniffed.type, passThrough: true, ...sizeOf(sniffed) }, {})

  const { end, queueMs } = await encode(deps, task, flight, fetched.body, sniffed)
  switch (end.kind) {
    case 'encoded': {
      deps.metrics.phase('decode', end.decodeMs)
      deps.metrics.phase('encode', end.encodeMs)
      const timings = { queue: queueMs, decode: end.decodeMs, encode: end.encodeMs }
      if (task.target !== 'facts') return finish(end.body, { type: end.type, ...sizeOf(end) }, timings)
      return finish(factsBody({ ...sniffed, ...sizeOf(end) }, end.body), { kind: 'facts', type: FACTS_TYPE }, timings)
    }
    case 'undecodable':
      return fail(415, 'The source cannot be decoded.', end.reason)
    case 'too-many-pixels':
      return fail(413, 'The source has too many pixels or frames.', end.reason)
    case 'died':
      return fail(415, 'The source cannot be decoded.', `the encoder died: ${end.reason}`)
    case 'killed':
      return fail(504, 'The image took too long to make.', 'the encoder was killed at the deadline', HOPELESS_MS)
    default:
      return end satisfies never
  }
}

async function encode(
  deps: Shaper,
  task: VariantTask,
  flight: FlightContext,
  source: Buffer,
  sniffed: Sniffed,
): Promise<{ end: EncodeEnd; queueMs: number }> {
  const { target, width, quality } = task
  const { effort, maximumPixels } = deps.settings
  const queued = performance.now()
  return deps.queue.push({
    urgency: flight.urgency,
    costBytes: estimateCost(target, width, sniffed),
    signal: flight.signal,
    run: async () => {
      const queueMs = performance.now() - queued
      deps.metrics.phase('queue', queueMs)
      // A picture that began late in its request's time still gets a fair share: its answer is kept for the next one.
      const end = await deps.pool.run({ source, target, width, quality, effort, maximumPixels }, TOTAL_TIMEOUT_MS)
      return { end, queueMs }
    },
  })
}

/** Animated pictures and SVG (I3). */
function passesThrough({ type, frames }: Sniffed): boolean {
  return frames > 1 || type === 'image/svg+xml'
}

const FACTS_TYPE = 'application/json; charset=utf-8'

/** The JSON of a placeholder request (I8); `placeholder` is null for SVG, which is never decoded. */
function factsBody({ type, width, height, frames }: Sniffed, blur: Buffer | undefined): Buffer {
  const placeholder = blur ? `data:image/webp;base64,${blur.toString('base64')}` : null
  return Buffer.from(JSON.stringify({ type, width: width ?? null, height: height ?? null, frames, placeholder }))
}

function sizeOf({ width, height }: { width?: number; height?: number }): { width?: number; height?: number } {
  return { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) }
}

function baseMeta(task: VariantTask, generation: number, storedAt: number, lifetimeMs: number): VariantMeta {
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
