// Limits what a client pipelines (L3): of the requests that it sends without waiting for a response, the sixteenth is the
// last of the connection; its response says `Connection: close`, and what follows is neither parsed nor run.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_PIPELINED } from '../../wire/constants.ts'

/** Where a head ends, and the trailers of a chunked body, if only by the line end of its last size (RFC 9112 section 7.1). */
const END = Buffer.from('\r\n\r\n')
const LINE_END = 2
const [LF, CR] = [10, 13]
/** A packet of this size has memory of its own; a smaller one could be a part of Node's pool. */
const LARGE_BYTES = Buffer.poolSize / 2

/**
 * Applies the limit to the connections of a server; call it before listeners of 'connection' and 'upgrade' are added.
 *
 * SECURITY: node:http parses a packet to its end and begins every request in it: 64 KiB of them are 3 000 requests in one
 * turn of the event loop, and what acts at or after 'request' comes too late. So the bytes are cut before the parser: its
 * own listener of 'data' gets one head at a time (what that costs: infra/bench/gateway/pipelining.ts).
 */
export function limitPipelining(server: Server, most = MAX_PIPELINED): void {
  server.on('connection', (socket: Cuttable) => {
    socket[CUT] = cutHeads(socket, most)
  })
  server.prependListener('request', ({ socket }: { socket: Cuttable }, response) => socket[CUT]?.begin(response))
  // A listener of 'upgrade' alone would make node:http treat every request for an upgrade as one.
  let isWatching = false
  server.on('newListener', (name) => {
    if (name !== 'upgrade' || isWatching) return
    isWatching = true
    server.prependListener('upgrade', (request: IncomingMessage & { socket: Cuttable }) =>
      request.socket[CUT]?.upgrade(request),
    )
  })
}

/** Values of hexadecimal digits, by their byte. */
const HEX: ReadonlyMap<number, number> = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
)

const CUT = Symbol('cut')
/** Not a WeakMap: looking up a connection for each request would cost as much as cutting. */
type Cuttable = Socket & { [CUT]?: Cut }

interface Cut {
  begin(response: ServerResponse): void
  upgrade(request: IncomingMessage): void
}

function cutHeads(socket: Socket, most: number): Cut {
  const [parse] = socket.listeners('data')
  // The listener of node:http that is there for every connection.
  if (!parse) throw new Error('the connection has no parser')
  /** Responses are sent in order: none waits when the last one was sent. */
  let last: ServerResponse | undefined
  /** Requests since no response waited and nothing of the next request had come. */
  let pipelined = 0
  /** Whether the next bytes are those that were put back. */
  let isPutBack = false
  /** The request that arrives or arrived last. */
  let current: IncomingMessage | undefined
  /** Bytes that have not arrived of its body, or of a chunk of its body with the line end. */
  let left = 0
  /** What has arrived of the line with the size of a chunk; undefined: the body has a length, or was read to its last chunk. */
  let line: { size: number; isExtension: boolean } | undefined
  let upgraded: IncomingMessage | undefined
  let isOver = false
  /** How many bytes of END the last piece ended with. */
  let matched = 0
  /** Whether nothing of the next head has arrived but empty lines, which the parser skips (RFC 9112 section 2.2). */
  let isBetween = true

  /**
   * Where what has arrived of a body ends: in its last chunk, behind the line with the size. SECURITY: chunks are not searched
   * for END, because a body full of line ends would be cut into pieces of four bytes. What is no size is left to the parser,
   * which reads nothing after it.
   */
  const endOfBody = (chunk: Buffer, from: number): number => {
    let at = from
    while (at < chunk.length && (left > 0 || line)) {
      if (left > 0 || !line) {
        const taken = Math.min(left, chunk.length - at)
        left -= taken
        at += taken
        continue
      }
      const byte = chunk[at++]!
      if (byte === LF && line.size === 0) {
        line = undefined
        matched = LINE_END
        isBetween = false
      } else if (byte === LF) {
        left = line.size + LINE_END
        line = { size: 0, isExtension: false }
      } else {
        const digit = line.isExtension ? undefined : HEX.get(byte)
        if (digit === undefined) line.isExtension = true
        else line.size = line.size * 16 + digit
      }
    }
    return at
  }

  /** The end of the next piece: of a head, of a body, or of what has arrived. */
  const endOfPiece = (chunk: Buffer, from: number): number => {
    let at = (left > 0 || line) && !current?.complete ? endOfBody(chunk, from) : from
    // The end of a body with a length, or of what has arrived; trailers belong to the piece.
    if (at > from && matched === 0) return at
    // SECURITY: a client may send nothing but empty lines; they are passed together.
    if (isBetween) while (chunk[at] === CR || chunk[at] === LF) at++
    if (at === chunk.length) return at
    isBetween = false
    while (matched > 0 && at < chunk.length && chunk[at] === END[matched]) {
      at++
      matched = (matched + 1) % END.length
      if (matched === 0) {
        isBetween = true
        return at
      }
    }
    if (at === chunk.length) return at
    const found = chunk.indexOf(END, at)
    if (found !== -1) {
      matched = 0
      isBetween = true
      return found + END.length
    }
    matched = END.length - 1
    while (matched > 0 && !chunk.subarray(at).subarray(-matched).equals(END.subarray(0, matched))) matched--
    return chunk.length
  }

  function pass(chunk: NonSharedBuffer): void {
    if (!isPutBack && (!last || last.writableFinished)) pipelined = 0
    isPutBack = false
    for (let at = 0; at < chunk.length; ) {
      if (isOver && current?.complete) return
      const end = endOfPiece(chunk, at)
      parse?.call(socket, at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end))
      at = end
      const isLeft = upgraded?.complete ?? false
      if (isLeft) socket.removeListener('data', pass)
      if (at === chunk.length || socket.destroyed) break
      if (isLeft || socket.isPaused()) {
        // node:http pauses while its client does not read what it was sent.
        isPutBack = true
        return void socket.unshift(chunk.subarray(at))
      }
    }
    free(chunk)
  }

  /**
   * The parser copies what it keeps. Freed only by a collection, the packets of a large body would take new memory each, which
   * costs as much as all else that node:http does with the body. The head of an upgrade, and the packet in an error of the
   * parser, are not copied.
   */
  const free = (chunk: NonSharedBuffer) => {
    if (chunk.length >= LARGE_BYTES && !upgraded && !socket.destroyed) chunk.buffer.transfer(0)
  }

  const receive = (request: IncomingMessage) => {
    current = request
    const { 'transfer-encoding': coding, 'content-length': length } = request.headers
    left = coding === undefined ? Number(length ?? 0) : 0
    line = coding === undefined ? undefined : { size: 0, isExtension: false }
  }

  socket.removeListener('data', parse as () => void)
  socket.on('data', pass)

  return {
    begin(response) {
      receive(response.req)
      last = response
      if (++pipelined >= most) {
        isOver = true
        response.shouldKeepAlive = false
      }
    },
    upgrade(request) {
      upgraded = request
      receive(request)
    },
  }
}
