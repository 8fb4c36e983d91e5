// Writes the pieces of a streamed response in their order, as fast as the client reads.

import type { ByteSink } from '../bundles.ts'

interface SinkWriter {
  /** Whether the client has disconnected. */
  readonly isGone: boolean
  /** Resolves when there is room for the next piece. Never rejects. */
  write(piece: string | Uint8Array): Promise<void>
}

export function createSinkWriter(sink: ByteSink): SinkWriter {
  let isGone = false
  let last = Promise.resolve()
  const closed = new Promise<void>((done) => {
    sink.once('close', () => {
      isGone = true
      done()
    })
  })
  const send = async (piece: string | Uint8Array): Promise<void> => {
    if (isGone) return
    const hasRoom = sink.write(piece)
    sink.flush?.()
    if (!hasRoom) await Promise.race([closed, new Promise<void>((done) => sink.once('drain', done))])
  }
  return {
    get isGone() {
      return isGone
    },
    write(piece) {
      last = last.then(() => send(piece))
      return last
    },
  }
}
