// The messages between the HTTP process and an encoder child.

import type { TargetFormat } from '../cache/variant.ts'

export type OutputFormat = 'avif' | 'webp' | 'jpeg' | 'png'

export interface EncodeWork {
  source: Buffer
  target: TargetFormat
  width: number
  quality: number
  effort: { avif: number; webp: number }
  maximumPixels: number
}

/** The head of a frame (encoder-frames.ts); the source follows it. */
export interface EncodeJob extends Omit<EncodeWork, 'source'> {
  /** 1 for the first job of a child, increased by 1 for each next job. */
  id: number
  sourceBytes: number
}

/**
 * The child's file descriptor for jobs. Sending a message would copy the source three times in one turn of the event
 * loop, which delays cached responses by milliseconds; a pipe sends a megabyte in many small writes without a copy.
 */
export const SOURCE_FD = 4

interface Encoded {
  kind: 'encoded'
  body: Buffer
  type: string
  /** Of the encoded image; for `facts` of the source with its orientation applied. */
  width: number
  height: number
  decodeMs: number
  encodeMs: number
}

export interface EncodeRefusal {
  kind: 'undecodable' | 'too-many-pixels'
  reason: string
}

export type EncodeResult = Encoded | EncodeRefusal

/** A child's response, with the memory of the child so that the pool can replace the child in time. */
export interface EncodeReply {
  id: number
  result: EncodeResult
  rssBytes: number
}
