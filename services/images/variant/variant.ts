// A variant: one encoded response made of a source, or a failure, and its key. SECURITY: no spelling of a source can
// have the key of another variant. Every other part uses these types; where variants are kept is left to cache/, how
// they are made to make/.

import { createHash } from 'node:crypto'

/** Must be raised when the pipeline or the binary form changes: older entries are then never found. */
export const PIPELINE_VERSION = 1

/** `own`: JPEG or PNG as the source is, else PNG with alpha, else JPEG (I2). `facts`: size and placeholder (I8). */
export type TargetFormat = 'avif' | 'webp' | 'own' | 'facts'

export interface VariantMeta {
  key: string
  /** `facts` is the JSON of a placeholder request (I8); `failure` is the reason for which there is no image (I6). */
  kind: 'image' | 'facts' | 'failure'
  /** Normalised site path or absolute URL, as in a purge (I9). */
  source: string
  /** From the source's Cache-Tag. */
  tags: string[]
  type: string
  /** Quoted strong ETag from the content. */
  etag: string
  /** Milliseconds since the epoch. */
  storedAt: number
  freshUntil: number
  /** Number of the last purge that was known when the source was requested. */
  generation: number
  /** The body is the source's own bytes (I3). */
  passThrough: boolean
  /** For the next conditional request to the source. */
  validators: SourceValidators
  failure?: { status: FailureStatus; text: string }
}

export interface SourceValidators {
  etag?: string
  modified?: string
  /** SHA-256 of the source's bytes: equal bytes are not encoded again. */
  hash?: string
}

export type FailureStatus = 400 | 404 | 410 | 413 | 415 | 502 | 503 | 504

/** Why there is no image; becomes a variant of the kind `failure`. */
export interface Failed {
  kind: 'failed'
  status: FailureStatus
  text: string
  reason: string
  /** Milliseconds for which the failure is cached; by default the time of the status. */
  keepMs?: number
}

export interface Variant {
  meta: VariantMeta
  body: Buffer
}

/** What a cache holds for one key. */
export interface Held {
  variant: Variant | undefined
  /** The last failure of the same work. */
  failure: Variant | undefined
}

/**
 * Whether a failure ends the older variants of its source: the source is gone, or a rule refuses it now. Every other failure is
 * a fault of the upstream, which older variants cover (I5).
 */
export function endsOlder({ meta: { failure } }: Variant): boolean {
  return failure?.status === 400 || failure?.status === 404 || failure?.status === 410
}

export function isFresh({ meta }: Variant, now: number): boolean {
  return meta.freshUntil > now
}

/** `text` is for the client, `reason` for the log. */
export function failed(status: FailureStatus, text: string, reason: string): Failed {
  return { kind: 'failed', status, text, reason }
}

/**
 * The key of a variant. SECURITY: each part has its length in front, so that no spelling of a source can collide with
 * another source's width or quality (cache poisoning).
 */
export function variantKey(parts: readonly (string | number)[]): string {
  return [PIPELINE_VERSION, ...parts].map((part) => `${Buffer.byteLength(String(part))}:${part}`).join(',')
}

/** The key for a failure of the same work: a failure must not replace an old image. */
export function failureKey(key: string): string {
  return `!${key}`
}

/** A short form of a key for file names, Redis keys and channels. */
export function keyDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
