// A body that is passed on as it arrives, and of which nothing is read before there is a connection: a request whose
// connection was refused can be sent to another replica whole.

import type { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'

/**
 * Replaces `source` for the library of the proxy, which pipes a body as soon as a connection begins: node:http would take
 * the first pieces into the buffer of a request that is never sent. A Readable, because the library tests for one.
 */
class UnsentBody extends Readable {
  readonly #source: Readable
  constructor(source: Readable) {
    super()
    this.#source = source
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    // The library pipes bodies to requests only, once they have a socket.
    const { socket } = destination as unknown as ClientRequest
    if (socket?.connecting) socket.once('connect', () => void this.#source.pipe(destination))
    else this.#source.pipe(destination)
    return destination
  }

  override unpipe(destination?: NodeJS.WritableStream): this {
    this.#source.unpipe(destination)
    return this
  }

  override resume(): this {
    this.#source.resume()
    return this
  }
}

/** The body of a request, held back until a connection is made. */
export function unsentBody(source: Readable): Readable {
  return new UnsentBody(source)
}
