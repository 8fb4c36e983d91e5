// Passes a file on disk to a visitor in pieces that are lent, not made. A stream makes a buffer for each 64 KiB; their
// memory lies outside the heap, V8 collects everything to get it back, and pages wait meanwhile.

import { type FileHandle, open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { RESPONSE_STALLED_MS } from '@portico/shared/wire/constants.ts'

const PIECE_BYTES = 64 * 1024
/** Pieces that wait to be lent again: 4 MiB. More at once are made, and left to the collector. */
const MOST_KEPT = 64

const shelf: Buffer[] = []

/**
 * Sends the bytes from `first` to `last` (both included) behind a head that was written, and ends the response. Never
 * rejects: a file that ends too early or cannot be read must not look whole, so the connection breaks off.
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
    const piece = shelf.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
    for (let at = first; at <= last; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(PIECE_BYTES, last - at + 1), at)
      if (bytesRead === 0) throw new Error('the file is shorter than its index says')
      at += bytesRead
      await written(response, piece.subarray(0, bytesRead), stalledMs)
    }
    // Only here: of an answer that broke off the system may still read.
    if (shelf.length < MOST_KEPT) shelf.push(piece)
    response.end()
  } catch {
    // Whoever reads sees that it broke off; the access line says so too.
    response.destroy()
  } finally {
    await file?.close()
  }
}

/** Resolves when the bytes have left this process, so that their memory may hold others. */
function written(response: ServerResponse, bytes: Buffer, stalledMs: number): Promise<void> {
  return new Promise((done, failed) => {
    const settle = (error?: Error | null) => {
      clearTimeout(timer)
      response.off('close', onClose)
      if (error) failed(error)
      else done()
    }
    const onClose = () => settle(new Error('the visitor left'))
    const timer = setTimeout(() => settle(new Error('the visitor takes nothing')), stalledMs).unref()
    if (response.destroyed) return onClose()
    response.once('close', onClose)
    response.write(bytes, settle)
  })
}
