// What the HTTP process and an encoder child say to each other.

export type OutputFormat = 'avif' | 'webp' | 'jpeg' | 'png'

export interface EncodeWork {
  source: Buffer
  /** `own`: JPEG or PNG as the source is, else PNG with alpha, else JPEG (I2). `facts`: size and placeholder (I8). */
  target: 'avif' | 'webp' | 'own' | 'facts'
  width: number
  quality: number
  effort: { avif: number; webp: number }
  maximumPixels: number
}

/** The head of a frame (encoder-frames.ts); the source follows it. */
export interface EncodeJob extends Omit<EncodeWork, 'source'> {
  /** 1 for the first job of a child, then one more each. */
  id: number
  sourceBytes: number
}

/**
 * Descriptor of the child that jobs arrive at. A message would be copied three times in one go on the way, which
 * holds up cached answers for milliseconds; a pipe takes a megabyte in many small writes from where it lies.
 */
export const SOURCE_FD = 4

export interface Encoded {
  kind: 'encoded'
  body: Buffer
  type: string
  /** Of the answer; for `facts` of the source as it is shown (orientation applied). */
  width: number
  height: number
  decodeMs: number
  encodeMs: number
}

export type EncodeRefusal = { kind: 'undecodable'; reason: string } | { kind: 'too-many-pixels'; reason: string }

export type EncodeAnswer = Encoded | EncodeRefusal

/** A child's response, as a message, with its memory so that the pool can replace the child in time. */
export interface EncodeReply {
  id: number
  answer: EncodeAnswer
  rssBytes: number
}
