// Reads whole responses of replicas into memory, which is bounded for all of them together.

import type { IncomingMessage } from 'node:http'

export interface WholeLimits {
  /** A response of more bytes is not read. */
  limitBytes: number
  /** Bytes of all responses that are being read. */
  readingLimitBytes: number
}

/**
 * `unfit`: another status than 200, or a response without a length, as of another release. `busy`: other responses use the
 * memory for reading. `broken`: the response broke off.
 */
export type UnreadFault = 'unfit' | 'too-large' | 'busy' | 'broken'

export type Whole = { kind: 'bytes'; bytes: Buffer } | { kind: 'fault'; fault: UnreadFault }

/** The returned function calls `end` once. It does not read what it refuses. */
export function createWholeReader({ limitBytes, readingLimitBytes }: WholeLimits) {
  let readingBytes = 0
  return (response: IncomingMessage, end: (whole: Whole) => void) => {
    const refuse = (fault: UnreadFault) => end({ kind: 'fault', fault })
    const declared = Number(response.headers['content-length'])
    if (response.statusCode !== 200 || !(declared >= 0)) return refuse('unfit')
    // SECURITY: a process that is not one of this stack could send more than memory.
    if (declared > limitBytes) return refuse('too-large')
    if (readingBytes + declared > readingLimitBytes) return refuse('busy')
    readingBytes += declared
    // Not from the pool of node:buffer: a kept slice of the pool keeps all of the pool.
    const bytes = Buffer.allocUnsafeSlow(declared)
    let receivedBytes = 0
    response.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.copy(bytes, receivedBytes)
    })
    response.on('end', () => {
      // SECURITY: bytes that did not arrive are those of another request.
      if (receivedBytes === declared) end({ kind: 'bytes', bytes })
      else refuse('unfit')
    })
    response.on('close', () => {
      readingBytes -= declared
      if (!response.readableEnded) refuse('broken')
    })
  }
}
