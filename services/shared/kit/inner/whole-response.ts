// Reads whole responses into memory, which is bounded for each of them, or for all of them together.

import type { IncomingMessage } from 'node:http'

export interface WholeLimits {
  /** A response of more bytes is not read. */
  limitBytes: number
  /**
   * Bytes of all responses that are being read. Each reserves its length: a response without one, as of another release, is
   * not read. Absent: each has its own limit only.
   */
  readingLimitBytes?: number
  /** Responses with another status than 200 are read, too. */
  takesAnyStatus?: boolean
}

/** `unfit`: another status, or no length. `busy`: other responses use the memory for reading. `broken`: it broke off. */
export type UnreadFault = 'unfit' | 'too-large' | 'busy' | 'broken'

export type Whole = { kind: 'bytes'; bytes: Buffer } | { kind: 'fault'; fault: UnreadFault }

/** The returned function calls `end` once. It does not read what it refuses. */
export function createWholeReader({ limitBytes, readingLimitBytes, takesAnyStatus = false }: WholeLimits) {
  let readingBytes = 0
  return (response: IncomingMessage, end: (whole: Whole) => void) => {
    let isOver = false
    const conclude = (whole: Whole) => {
      if (!isOver) end(whole)
      isOver = true
    }
    const refuse = (fault: UnreadFault) => conclude({ kind: 'fault', fault })
    const declared = Number(response.headers['content-length'] ?? Number.NaN)
    const hasLength = declared >= 0
    if (response.statusCode !== 200 && !takesAnyStatus) return refuse('unfit')
    // SECURITY: a process that is not one of this stack could send more than memory.
    if (declared > limitBytes) return refuse('too-large')
    if (readingLimitBytes !== undefined) {
      if (!hasLength) return refuse('unfit')
      if (readingBytes + declared > readingLimitBytes) return refuse('busy')
      readingBytes += declared
    }
    const collect = hasLength ? intoOne(declared) : intoChunks()
    let receivedBytes = 0
    response.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length
      if (receivedBytes > limitBytes) refuse('too-large')
      else collect.add(chunk)
    })
    response.on('end', () => {
      // SECURITY: bytes that did not arrive are those of another request.
      if (!hasLength || receivedBytes === declared) conclude({ kind: 'bytes', bytes: collect.whole() })
      else refuse('unfit')
    })
    response.on('close', () => {
      if (readingLimitBytes !== undefined) readingBytes -= declared
      if (!response.readableEnded) refuse('broken')
    })
  }
}

function intoOne(length: number) {
  // Not from the pool of node:buffer: a kept slice of the pool keeps all of the pool.
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  return {
    add(chunk: Buffer) {
      at += chunk.copy(bytes, at)
    },
    whole: () => bytes,
  }
}

function intoChunks() {
  const chunks: Buffer[] = []
  return { add: (chunk: Buffer) => void chunks.push(chunk), whole: () => Buffer.concat(chunks) }
}
