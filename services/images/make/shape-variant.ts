// Decides by the bytes of a source whether the source is refused, passed through or encoded (I3).

import { boundToTrace } from '../../shared/node/tracing.ts'
import type { ImageSettings } from '../../shared/wire/build-output.ts'
import { etagOf, type VariantMeta } from '../cache/variant.ts'
import type { EncoderPool } from '../encode/encoder-pool.ts'
import type { EncodeEnd } from '../encode/encoder-process.ts'
import type { ImageMetrics } from '../metrics.ts'
import { estimateCost } from '../queue/estimate-cost.ts'
import { type EncodeQueue, QueueFullError } from '../queue/queue.ts'
import { originOf } from '../request/params.ts'
import type { FetchedSource } from '../source/fetch-source.ts'
import { type Sniffed, sniffType } from '../source/sniff-type.ts'
import { DEADLINE_FAILURE_MS, type Failing, type Made, type VariantTask } from './made-variant.ts'
import type { WorkPiece } from './shared-work.ts'

/** Limit for the frames of an image that is passed through; browsers decode these frames. */
const MAXIMUM_FRAMES = 1000
/** A replaced child is ready sooner. If encoders are unavailable for longer, another replica may have some. */
const ENCODER_WAIT_MS = 2000
const FACTS_TYPE = 'application/json; charset=utf-8'

export interface ShaperDeps {
  settings: ImageSettings
  queue: EncodeQueue
  pool: EncoderPool
  metrics: ImageMetrics
}

export interface ShapeInput {
  task: VariantTask
  piece: WorkPiece
  fetched: Extract<FetchedSource, { kind: 'fetched' }>
  /** Metadata from made-variant.ts. */
  meta: VariantMeta
  /**
   * Milliseconds for the encoder alone, independent of the time in the queue: a result that is too late for this client
   * is stored for the next client, but aborted work yields no result.
   */
  encodeMs: number
}

export type Shaped = ({ kind: 'made' } & Made) | ({ kind: 'failing' } & Failing)

/**
 * Detects the type, and encodes if the type needs it. Rejects when the queue is full or the piece of work is aborted.
 */
export async function shapeVariant(deps: ShaperDeps, input: ShapeInput): Promise<Shaped> {
  const { task, fetched, meta } = input
  const sniffed = sniffType(fetched.body)
  const refusal = refuse(sniffed, deps.settings)
  if (refusal || !sniffed) return refusal ?? UNKNOWN
  const finish = (body: Buffer, changes: Partial<VariantMeta>, timings: Made['timings']): Shaped => ({
    kind: 'made',
    variant: { meta: { ...meta, etag: etagOf(body), validators: fetched.validators, ...changes }, body },
    isStorable: fetched.lifetimeSeconds > 0,
    timings,
  })
  const wantsFacts = task.target === 'facts'
  if (wantsFacts && sniffed.type === 'image/svg+xml')
    return finish(factsBody(sniffed, undefined), { kind: 'facts', type: FACTS_TYPE }, {})
  if (!wantsFacts && passesThrough(sniffed))
    return finish(fetched.body, { type: sniffed.type, passThrough: true, ...sizeOf(sniffed) }, {})

  const { end, queueMs } = await encode(deps, input, sniffed)
  if (end.kind === 'killed') deps.metrics.encoderFault('killed')
  if (end.kind === 'died' || end.kind === 'stopped') deps.metrics.encoderFault('died')
  // Not a fault of the image: no failure is stored, and the client may retry.
  if (end.kind === 'late') throw new QueueFullError(1)
  if (end.kind !== 'encoded') return failingOf(end)
  deps.metrics.phase('decode', end.decodeMs, end.encodeMs)
  deps.metrics.phase('encode', end.encodeMs)
  const timings = { queue: queueMs, decode: end.decodeMs, encode: end.encodeMs }
  if (!wantsFacts) return finish(end.body, { type: end.type, ...sizeOf(end) }, timings)
  return finish(factsBody({ ...sniffed, ...sizeOf(end) }, end.body), { kind: 'facts', type: FACTS_TYPE }, timings)
}

const UNKNOWN: Shaped = {
  kind: 'failing',
  status: 415,
  text: 'The source is not an image of a known type.',
  reason: 'unknown magic bytes',
}

/** SECURITY: bytes that are not an image, or would cost too much, never reach a decoder or a client. */
function refuse(sniffed: Sniffed | undefined, settings: ImageSettings): Shaped | undefined {
  if (!sniffed) return UNKNOWN
  if (sniffed.type === 'image/svg+xml' && !settings.dangerouslyAllowSVG)
    return {
      kind: 'failing',
      status: 415,
      text: 'The source is an SVG, which this site does not allow.',
      reason: 'images.dangerouslyAllowSVG is not set',
    }
  const { width = 0, height = 0, frames } = sniffed
  if (width * height > settings.maximumPixels || frames > MAXIMUM_FRAMES)
    return tooMuch(`${width}x${height} pixels, ${frames} frames (images.maximumPixels)`)
  return undefined
}

function tooMuch(reason: string): Shaped {
  return { kind: 'failing', status: 413, text: 'The source has too many pixels or frames.', reason }
}

function failingOf(end: Exclude<EncodeEnd, { kind: 'encoded' | 'late' }>): Shaped {
  const late = { kind: 'failing', status: 504, text: 'The image took too long to make.' } as const
  const undecodable = { kind: 'failing', status: 415, text: 'The source cannot be decoded.' } as const
  const stopped = { kind: 'failing', status: 503, text: 'The image could not be made now.' } as const
  switch (end.kind) {
    case 'undecodable':
      return { ...undecodable, reason: end.reason }
    case 'died':
      return { ...undecodable, reason: `the encoder died: ${end.reason}` }
    case 'stopped':
      return { ...stopped, reason: `the encoder was stopped: ${end.reason}` }
    case 'too-many-pixels':
      return tooMuch(`${end.reason} (images.maximumPixels)`)
    case 'killed':
      return { ...late, reason: 'the encoder was killed at the deadline', keepMs: DEADLINE_FAILURE_MS }
    default:
      return end satisfies never
  }
}

async function encode(
  { settings, queue, pool, metrics }: ShaperDeps,
  { task, piece, fetched, encodeMs }: ShapeInput,
  sniffed: Sniffed,
): Promise<{ end: EncodeEnd; queueMs: number }> {
  const { target, width, quality } = task
  const { effort, maximumPixels } = settings
  const queued = performance.now()
  return queue.push({
    urgency: piece.urgency,
    origin: originOf(task.source),
    costBytes: estimateCost(target, width, sniffed),
    signal: piece.signal,
    // The queue calls `run` when another job ends, in the trace context of that job.
    run: boundToTrace(async () => {
      const queueMs = performance.now() - queued
      metrics.phase('queue', queueMs)
      piece.commit()
      const work = { source: fetched.body, target, width, quality, effort, maximumPixels }
      return { end: await pool.run(work, { waitMs: ENCODER_WAIT_MS, encodeMs }), queueMs }
    }),
  })
}

/** Animated images and SVG (I3). */
function passesThrough({ type, frames }: Sniffed): boolean {
  return frames > 1 || type === 'image/svg+xml'
}

/** The JSON of a placeholder request (I8); `placeholder` is null for SVG, which is never decoded. */
function factsBody({ type, width, height, frames }: Sniffed, blur: Buffer | undefined): Buffer {
  const placeholder = blur ? `data:image/webp;base64,${blur.toString('base64')}` : null
  return Buffer.from(JSON.stringify({ type, width: width ?? null, height: height ?? null, frames, placeholder }))
}

function sizeOf({ width, height }: { width?: number; height?: number }): { width?: number; height?: number } {
  return { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) }
}
