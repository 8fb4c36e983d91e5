// What passes between the HTTP process and an encoder child: the messages, and the form of a job in the pipe, one frame
// of head and source, so that no byte can belong to two jobs and no source can be read with the head of another job.

import type { TargetFormat } from '../variant/variant.ts'

const LENGTH_BYTES = 4
/** A head is a few numbers; longer bytes are not a head. */
const LONGEST_HEAD_BYTES = 4096

/** The beginning of a frame: the length of the head, and the head. The source follows the head. */
export function frameHead(job: EncodeJob): Buffer {
  const head = Buffer.from(JSON.stringify(job))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(head.length)
  return Buffer.concat([length, head])
}

/**
 * Receives the chunks of the pipe and runs each job when its source is complete. Throws for a byte that belongs to no
 * job: while a job runs, after the source, or in a head that is not the head of the next job. The child must end then.
 */
export function createFrameReader(run: (job: EncodeJob, source: Buffer) => Promise<void>): (chunk: Buffer) => void {
  const nothing = Buffer.alloc(0)
  let head = nothing
  let current: { job: EncodeJob; source: Buffer; received: number } | undefined
  let isRunning = false
  let lastId = 0

  /** Returns the bytes after the head; undefined while the head is incomplete. */
  const readHead = (chunk: Buffer): Buffer | undefined => {
    head = Buffer.concat([head, chunk])
    if (head.length < LENGTH_BYTES) return undefined
    const end = LENGTH_BYTES + head.readUInt32LE(0)
    if (end > LONGEST_HEAD_BYTES) throw new Error('the bytes in the pipe are not the head of a job')
    if (head.length < end) return undefined
    // frameHead of the parent wrote the head.
    const job = JSON.parse(head.toString('utf8', LENGTH_BYTES, end)) as EncodeJob
    if (job.id !== ++lastId) throw new Error(`job ${job.id} arrived in place of job ${lastId}`)
    const rest = head.subarray(end)
    head = nothing
    current = { job, source: Buffer.allocUnsafeSlow(job.sourceBytes), received: 0 }
    return rest
  }

  return function take(chunk) {
    if (isRunning) throw new Error('bytes arrived while a job runs')
    const bytes = current ? chunk : readHead(chunk)
    if (!current || !bytes) return
    const { job, source, received } = current
    if (received + bytes.length > source.length) throw new Error('more bytes arrived than the source has')
    current.received += bytes.copy(source, received)
    if (current.received < source.length) return
    // An encoder that waits for work holds no image.
    current = undefined
    isRunning = true
    void run(job, source).then(() => {
      isRunning = false
    })
  }
}

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
  /** The size of the encoded image; for `facts` that of the source with its orientation applied. */
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
