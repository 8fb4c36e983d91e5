// Sends a file on disk to a client through reused buffers. A stream allocates a buffer for each 64 KiB outside of the heap;
// V8 runs a full collection to free that memory, and requests for pages wait for the collection.

import { type FileHandle, open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { RESPONSE_STALLED_MS } from '@portico/shared/wire/constants.ts'

const PIECE_BYTES = 64 * 1024
/** Free buffers that are kept for reuse: 4 MiB. More are allocated when needed, and left to the collector. */
const MOST_FREE = 64

const freeBuffers: Buffer[] = []

/**
 * Sends the bytes from `first` to `last` (both included) behind a head that was written, and ends the response. Never
 * rejects: when a file ends too early or cannot be read, the connection is closed, so that the file does not look complete.
 */
export async function sendFromDisk(
  path: string,
  { first, last }: { first: number; last: number },
  response: ServerResponse,
  stalledMs = RESPONSE_STALLED_MS,
): Promise<void> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const piece = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
    for (let at = first; at <= last; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(PIECE_BYTES, last - at + 1), at)
      if (bytesRead === 0) throw new Error('the file is shorter than its index says')
      at += bytesRead
      await written(response, piece.subarray(0, bytesRead), stalledMs)
    }
    // Only after success: the system may still read the buffer of a response that broke off.
    if (freeBuffers.length < MOST_FREE) freeBuffers.push(piece)
    response.end()
  } catch {
    // The client sees the closed connection, and the access line reports it.
    response.destroy()
  } finally {
    await file?.close()
  }
}

/** Resolves when this process has sent the bytes, so that the buffer may be reused. */
function written(response: ServerResponse, bytes: Buffer, stalledMs: number): Promise<void> {
  return new Promise((done, failed) => {
    const settle = (error?: Error | null) => {
      clearTimeout(timer)
      response.off('close', onClose)
      if (error) failed(error)
      else done()
    }
    const onClose = () => settle(new Error('the client disconnected'))
    const timer = setTimeout(() => settle(new Error('the client reads nothing')), stalledMs).unref()
    if (response.destroyed) return onClose()
    response.once('close', onClose)
    response.write(bytes, settle)
  })
}
