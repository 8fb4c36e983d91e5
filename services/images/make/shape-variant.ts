// Decides by the bytes of a source whether the source is refused, passed through or encoded (I3), and estimates the
// memory of the encoding for the queue (I7).

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import { boundToTrace } from '@portico/shared/kit/observe/tracing.ts'
import type { ServedSettings } from '../config.ts'
import type { EncodeEnd, EncoderPool, OutputFormat } from '../encoders/encoders.ts'
import type { ImageMetrics } from '../metrics.ts'
import { type EncodeQueue, QueueFullError } from '../queue/queue.ts'
import { isUndecodedType, type Size, type Sniffed, sniffType } from '../sniff/sniff.ts'
import { type FetchedSource, originOf } from '../source/source.ts'
import { type Failed, failed, type TargetFormat, type VariantMeta } from '../variant/variant.ts'
import { DEADLINE_FAILURE_MS, type Made, TOO_LATE, type VariantTask } from './made-variant.ts'
import type { WorkPiece } from './shared-work.ts'

/** Limit for the frames of an image that is passed through; browsers decode these frames. */
const MAXIMUM_FRAMES = 1000
/** A replaced child is ready sooner. If encoders are unavailable for longer, another replica may have some. */
const ENCODER_WAIT_MS = 2000
const UNDECODABLE = 'The source cannot be decoded.'
const UNKNOWN = failed(415, 'The source is not an image of a known type.', 'unknown magic bytes')
const KILLED = failed(504, TOO_LATE, 'the encoder was killed at the deadline')
const FACTS_TYPE = 'application/json; charset=utf-8'

export interface ShaperDeps {
  settings: ServedSettings
  queue: EncodeQueue
  pool: EncoderPool
  metrics: ImageMetrics
}

interface ShapeInput {
  task: VariantTask
  piece: WorkPiece
  fetched: Extract<FetchedSource, { kind: 'fetched' }>
  /** Metadata from made-variant.ts. */
  meta: VariantMeta
  /** When the encoding must have ended, by performance.now(). The work is not aborted before: its result is stored. */
  endsAt: number
}

type Shaped = ({ kind: 'made' } & Made) | Failed

/**
 * Detects the type, and encodes if the type needs it. Rejects when the queue is full or the piece of work is aborted.
 */
export async function shapeVariant(deps: ShaperDeps, input: ShapeInput): Promise<Shaped> {
  const { task, fetched, meta } = input
  const sniffed = sniffType(fetched.body)
  if (!sniffed) return UNKNOWN
  const refusal = refuse(sniffed, deps.settings)
  if (refusal) return refusal
  const finish = (body: Buffer, changes: Partial<VariantMeta>, timings: Made['timings']): Shaped => ({
    kind: 'made',
    variant: { meta: { ...meta, etag: entityTag(body), validators: fetched.validators, ...changes }, body },
    isStorable: fetched.lifetimeSeconds > 0,
    timings,
  })
  const finishFacts = (size: Size, blur: Buffer | undefined, timings: Made['timings']) =>
    finish(factsBody({ ...sniffed, ...size }, blur), { kind: 'facts', type: FACTS_TYPE }, timings)
  const wantsFacts = task.target === 'facts'
  if (wantsFacts && !isDecoded(sniffed)) return finishFacts(sniffed, undefined, {})
  if (!wantsFacts && passesThrough(sniffed)) return finish(fetched.body, { type: sniffed.type, passThrough: true }, {})

  const { end, queueMs, encodeMs } = await encode(deps, input, sniffed)
  if (end.kind === 'killed') deps.metrics.encoderFault('killed')
  if (end.kind === 'died' || end.kind === 'stopped') deps.metrics.encoderFault('died')
  // Not a fault of the image: no failure is stored, and the client may retry.
  if (end.kind === 'late') throw new QueueFullError(1, 'encoder-away')
  // Behind a long queue the encoder had too little time, and may have enough the next time.
  if (end.kind === 'killed' && queueMs > encodeMs) return KILLED
  if (end.kind !== 'encoded') return failureOf(end)
  deps.metrics.phase('decode', end.decodeMs, end.encodeMs)
  deps.metrics.phase('encode', end.encodeMs)
  const timings = { queue: queueMs, decode: end.decodeMs, encode: end.encodeMs }
  return wantsFacts
    ? finishFacts({ width: end.width, height: end.height }, end.body, timings)
    : finish(end.body, { type: end.type }, timings)
}

/** SECURITY: bytes that are not an image, or would cost too much, never reach a decoder or a client. */
function refuse(sniffed: Sniffed, settings: ServedSettings): Failed | undefined {
  if (sniffed.type === 'image/svg+xml' && !settings.dangerouslyAllowSVG)
    return failed(415, 'The source is an SVG, which this site does not allow.', 'images.dangerouslyAllowSVG is not set')
  if (isUndecodedType(sniffed.type) && !settings.semantics.undecodedImages) return UNKNOWN
  const { width = 0, height = 0, frames } = sniffed
  const isTooMuch = width * height > settings.maximumPixels || frames > MAXIMUM_FRAMES
  return isTooMuch ? tooMuch(`${width}x${height} pixels, ${frames} frames`) : undefined
}

function tooMuch(facts: string): Failed {
  return failed(413, 'The source has too many pixels or frames.', `${facts} (images.maximumPixels)`)
}

function failureOf(end: Exclude<EncodeEnd, { kind: 'encoded' | 'late' }>): Failed {
  switch (end.kind) {
    case 'undecodable':
      return failed(415, UNDECODABLE, end.reason)
    case 'died':
      return failed(415, UNDECODABLE, `the encoder died: ${end.reason}`)
    case 'stopped':
      return failed(503, 'The image could not be made now.', `the encoder was stopped: ${end.reason}`)
    case 'too-many-pixels':
      return tooMuch(end.reason)
    case 'killed':
      return { ...KILLED, keepMs: DEADLINE_FAILURE_MS }
    default:
      return end satisfies never
  }
}

async function encode(
  { settings, queue, pool, metrics }: ShaperDeps,
  { task, piece, fetched, endsAt }: ShapeInput,
  sniffed: Sniffed,
): Promise<{ end: EncodeEnd; queueMs: number; encodeMs: number }> {
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
      const encodeMs = Math.max(1, endsAt - performance.now())
      return { end: await pool.run(work, { waitMs: ENCODER_WAIT_MS, encodeMs }), queueMs, encodeMs }
    }),
  })
}

/** Animated images, SVG, and the types that have no decoder here (I3). */
function passesThrough(sniffed: Sniffed): boolean {
  return sniffed.frames > 1 || !isDecoded(sniffed)
}

function isDecoded({ type }: Sniffed): boolean {
  return type !== 'image/svg+xml' && !isUndecodedType(type)
}

/** The JSON of a placeholder request (I8); `placeholder` is null for types that are not decoded. */
function factsBody({ type, width, height, frames }: Sniffed, blur: Buffer | undefined): Buffer {
  const placeholder = blur ? `data:image/webp;base64,${blur.toString('base64')}` : null
  return Buffer.from(JSON.stringify({ type, width: width ?? null, height: height ?? null, frames, placeholder }))
}

/** Bytes of memory per output pixel during encoding, measured with one 3840 px image per format. */
const BYTES_PER_PIXEL: Record<OutputFormat, number> = { avif: 34, webp: 7, jpeg: 6, png: 6 }
/** Bytes of memory per source pixel during decoding, for decoders that cannot shrink while they decode. */
const BYTES_PER_SOURCE_PIXEL = 4
/** For a TIFF with four channels of 32 bits, all of which a rotation holds. */
const BYTES_PER_TIFF_PIXEL = 16

/** Returns bytes. A size that the header does not contain is assumed to be 4:3 at the requested width. */
export function estimateCost(target: TargetFormat, width: number, size: Size & Partial<Pick<Sniffed, 'type'>>): number {
  const sourceWidth = size.width ?? width
  const sourceHeight = size.height ?? Math.round((sourceWidth * 3) / 4)
  const outWidth = Math.min(width, sourceWidth)
  const outPixels = (outWidth * outWidth * sourceHeight) / Math.max(1, sourceWidth)
  const format = target === 'own' || target === 'facts' ? 'jpeg' : target
  const sourceBytes = size.type === 'image/tiff' ? BYTES_PER_TIFF_PIXEL : BYTES_PER_SOURCE_PIXEL
  return Math.round(outPixels * BYTES_PER_PIXEL[format] + sourceWidth * sourceHeight * sourceBytes)
}
