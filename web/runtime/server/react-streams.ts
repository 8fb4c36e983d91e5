// What React's streaming renderer writes: as one text, or piece by piece.

import { PassThrough, Writable } from 'node:stream'

/** The whole text of a render. */
export function collect(stream: { pipe: (target: PassThrough) => unknown }): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const sink = new PassThrough()
    sink.on('data', (chunk: Buffer) => chunks.push(chunk))
    sink.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    sink.on('error', reject)
    stream.pipe(sink)
  })
}

/** Collects what React writes between two flushes, which is always whole elements. */
export function createPieceStream(onPiece: (piece: Buffer) => void, onEnd: () => void): Writable {
  let chunks: Buffer[] = []
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  writable.once('close', onEnd)
  return Object.assign(writable, {
    flush() {
      if (chunks.length > 0) onPiece(Buffer.concat(chunks))
      chunks = []
    },
  })
}
