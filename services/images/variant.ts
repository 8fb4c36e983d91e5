// What the cache holds: one encoded answer made of a source (or a remembered failure), and its name.

import { createHash } from 'node:crypto'

/** Raise it when the pipeline or the binary form changes: older entries are then never found. */
export const PIPELINE_VERSION = 1

/** What a variant is asked to be: `own` means the source's own format if JPEG or PNG, else JPEG or PNG (I2). */
export type TargetFormat = 'avif' | 'webp' | 'own' | 'facts'

export interface VariantMeta {
  key: string
  /** `facts` is the JSON of a placeholder request (I8); `failure` remembers why there is no picture (I6). */
  kind: 'image' | 'facts' | 'failure'
  /** Normalised site path or absolute URL: what a purge names (I9). */
  source: string
  /** The source's Cache-Tag. */
  tags: string[]
  type: string
  /** Quoted strong ETag from the content. */
  etag: string
  /** Milliseconds since the epoch. */
  storedAt: number
  freshUntil: number
  /** Number of the last purge that was known when the source was asked. */
  generation: number
  /** The body is the source's own bytes (I3). */
  passThrough: boolean
  width?: number
  height?: number
  /** What the source may be asked again with. */
  validators: SourceValidators
  failure?: { status: FailureStatus; text: string }
}

export interface SourceValidators {
  etag?: string
  modified?: string
  /** SHA-256 of the source's bytes: equal bytes are never encoded again. */
  hash?: string
}

export type FailureStatus = 400 | 404 | 410 | 413 | 415 | 502 | 503 | 504

export interface Variant {
  meta: VariantMeta
  body: Buffer
}

/**
 * Names a variant. SECURITY: each part carries its length, so that no source can be spelt to collide with another
 * source's width or quality (cache poisoning).
 */
export function variantKey(parts: readonly (string | number)[]): string {
  return [PIPELINE_VERSION, ...parts].map((part) => `${Buffer.byteLength(String(part))}:${part}`).join(',')
}

/** The key under which a failure of the same work is remembered, so that it never displaces an old picture. */
export function failureKey(key: string): string {
  return `!${key}`
}

/** A short name of a key for file names, Redis keys and channels. */
export function keyDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}

/** Strong ETag of a body, equal on every replica. */
export function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}
