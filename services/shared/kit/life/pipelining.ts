// Limits what a client pipelines (L3): of the requests that it sends without waiting for a response, the sixteenth is the
// last of the connection; its response says `Connection: close`, and what follows is neither parsed nor run.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_PIPELINED } from '../../wire/constants.ts'

/** Where a head ends, and a chunked body with or without trailers (RFC 9112 sections 2.1 and 7.1). */
const END = Buffer.from('\r\n\r\n')

/**
 * Applies the limit to the connections of a server; call it before other listeners of 'connection' are added.
 *
 * SECURITY: node:http parses a packet to its end and begins every request in it: 64 KiB of them are 3 000 requests in one
 * turn of the event loop, and what acts at or after 'request' comes too late. So the bytes are cut before the parser: its
 * own listener of 'data' gets one head at a time. It costs a fifth of what node:http takes for a response of 1 kB: most of it
 * is reading through JavaScript.
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
  /** Requests without a response, and requests since there was none and nothing of the next one had come. */
  let waiting = 0
  let pipelined = 0
  /** Whether the next bytes are those that were put back. */
  let isPutBack = false
  /** The request that arrives or arrived last. */
  let current: IncomingMessage | undefined
  /** Bytes of its body that have not arrived; undefined: chunked. */
  let bodyLeft: number | undefined = 0
  let upgraded: IncomingMessage | undefined
  let isOver = false
  /** How many bytes of END the last piece ended with. */
  let matched = 0

  /** The end of the next piece: of a head, of a body, or of what has arrived. */
  const endOfPiece = (chunk: Buffer, from: number): number => {
    if (current && !current.complete && bodyLeft) {
      const taken = Math.min(bodyLeft, chunk.length - from)
      bodyLeft -= taken
      return from + taken
    }
    let at = from
    while (matched > 0 && at < chunk.length && chunk[at] === END[matched]) {
      at++
      matched = (matched + 1) % END.length
      if (matched === 0) return at
    }
    if (at === chunk.length && at > from) return at
    const found = chunk.indexOf(END, from)
    if (found !== -1) {
      matched = 0
      return found + END.length
    }
    matched = END.length - 1
    while (matched > 0 && !chunk.subarray(from).subarray(-matched).equals(END.subarray(0, matched))) matched--
    return chunk.length
  }

  function pass(chunk: NonSharedBuffer): void {
    if (waiting === 0 && !isPutBack) pipelined = 0
    isPutBack = false
    let at = 0
    while (at < chunk.length) {
      if (isOver && current?.complete) return
      const end = endOfPiece(chunk, at)
      parse?.call(socket, at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end))
      at = end
      if (socket.destroyed) return
      const isLeft = upgraded?.complete ?? false
      if (isLeft) socket.removeListener('data', pass)
      if (isLeft || socket.isPaused()) {
        // node:http pauses while its client does not read what it was sent.
        isPutBack = at < chunk.length
        if (isPutBack) socket.unshift(chunk.subarray(at))
        return
      }
    }
  }

  const end = () => void waiting--

  socket.removeListener('data', parse as () => void)
  socket.on('data', pass)

  return {
    begin(response) {
      current = response.req
      const { 'transfer-encoding': coding, 'content-length': length } = current.headers
      bodyLeft = coding === undefined ? Number(length ?? 0) : undefined
      waiting++
      if (++pipelined >= most) {
        isOver = true
        response.shouldKeepAlive = false
      }
      // A response is closed once: `once` would create and remove a second function for each request.
      response.on('close', end)
    },
    upgrade(request) {
      upgraded = request
    },
  }
}
