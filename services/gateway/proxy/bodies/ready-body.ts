// Bodies that are complete before the request is sent: no body, or one that the gateway collected.

import { Stream } from 'node:stream'

/** Writes all chunks to the destination and ends it immediately. Cheaper than piping a stream, and reusable for a retry. */
class ReadyBody extends Stream {
  readonly #chunks: readonly Buffer[]
  constructor(chunks: readonly Buffer[]) {
    super()
    this.#chunks = chunks
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    for (const chunk of this.#chunks) destination.write(chunk)
    destination.end()
    return destination
  }
}

export const NO_BODY: Stream = new ReadyBody([])

/** A body of these bytes. */
export function readyBody(chunks: readonly Buffer[]): Stream {
  return new ReadyBody(chunks)
}
