// What happens to the body of a request before and while the body is sent to a replica (A7, G8). Small bodies are
// collected before a replica is chosen: a client that sends slowly holds no connection to a replica. Others are passed
// on as they arrive, and none above the ceiling. All hold room, in bytes and in slots of each replica, until they have
// arrived.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Stream, Transform } from 'node:stream'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { type Exchange, exchangeOf } from '../../exchange/exchange.ts'
import { type ForwardedFacts, type Framing, framingForUpstream } from '../../headers/headers.ts'
import type { Replica } from '../../replicas/replicas.ts'
import type { ErrorSender } from '../../send/send.ts'
import { type Stop, sendStop } from '../proxy-errors.ts'
import { createBodyRoom, type RoomHolder } from './body-room.ts'

/** Generous: actions enforce their own, lower limits with better texts (A7). */
export const BODY_CEILING_BYTES = 64 * 1024 * 1024

/**
 * The request's body, counted on its way to the replica: above the limit nothing more is passed on, and `onExceeded` is
 * called once with the count so far. Ends with an error when the client disconnects.
 */
function countBody(request: IncomingMessage, limitBytes: number, onExceeded: (received: number) => void): Transform {
  let received = 0
  let isExceeded = false
  const body = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      received += chunk.length
      if (received <= limitBytes) return callback(null, chunk)
      if (!isExceeded) onExceeded(received)
      isExceeded = true
      // The rest is read and dropped, so that the client can read the response.
      callback()
    },
  })
  // A body that breaks off must not look complete.
  request.on('error', (error) => body.destroy(error))
  return request.pipe(body)
}

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
function readyBody(chunks: readonly Buffer[]): Stream {
  return new ReadyBody(chunks)
}

/**
 * Whether a body of this declared length is collected. Larger bodies are passed on as they arrive, and so are those
 * without a length: their client may wait for a response to the first piece.
 */
function isCollected(request: IncomingMessage, declaredBytes: number): boolean {
  return declaredBytes <= request.readableHighWaterMark
}

/** A body of more pieces is copied to one buffer. */
const MOST_PIECES = 16

/** Calls `onCollected` once all of the body has arrived; never when the client disconnects before. */
function collectBody(request: IncomingMessage, declaredBytes: number, onCollected: (chunks: Buffer[]) => void): void {
  const pieces: Buffer[] = []
  let whole: Buffer | undefined
  let filled = 0
  request.on('data', (chunk: Buffer) => {
    if (whole) filled += chunk.copy(whole, filled)
    else if (pieces.push(chunk) > MOST_PIECES) {
      // SECURITY: a byte that arrives alone in a packet costs some hundred bytes as a separate buffer.
      whole = Buffer.allocUnsafeSlow(declaredBytes)
      for (const piece of pieces.splice(0)) filled += piece.copy(whole, filled)
    }
  })
  // The event means that the body is whole: `filled` is its declared length, and nothing of the buffer is left unwritten.
  request.once('end', () => onCollected(whole ? [whole] : pieces))
}

/** A request that may have a body. */
export interface BodySender extends RoomHolder {
  readonly request: IncomingMessage
  readonly framing: Framing
  /** What is sent: a collected body, or the arriving one. */
  body: Stream | undefined
  /** `ready`: the request may be sent. */
  dispatch(event: { kind: 'ready' }): void
  /** The gateway responds itself. */
  stop(stop: Stop): void
  onBodyBroken(): void
}

interface RequestBodiesOptions {
  /** Limit of all bodies together in the gateway. */
  waitingBytes: number
  ceilingBytes: number
}

export interface RequestBodies<T> {
  /** Takes a request whose head has arrived. */
  receive(sender: T): void
  /** Whether the request, of which all or a part has arrived, may wait for a replica. */
  wait(sender: T): boolean
  /** Called before the request is sent: whether the request may be sent. */
  send(sender: T, replica: Replica): boolean
  /** The response is closed: releases all room of the body. */
  release(sender: T): void
}

export function createRequestBodies<T extends BodySender>(options: RequestBodiesOptions): RequestBodies<T> {
  const { waitingBytes, ceilingBytes } = options
  const room = createBodyRoom<T>({
    bytes: waitingBytes,
    onDisplaced: (sender) => sender.stop({ why: 'overloaded', refusal: 'body-displaced' }),
  })
  /** The request's own buffer holds at most this much of an unread body. */
  const hold = (sender: T) => {
    const { framing, request } = sender
    const mostBytes = request.readableHighWaterMark
    return room.hold(sender, framing.kind === 'length' ? Math.min(framing.bytes, mostBytes) : mostBytes)
  }
  const count = (sender: T) => {
    const onExceeded = (receivedBytes: number) =>
      sender.stop({ why: 'body-too-large', receivedBytes, limitBytes: ceilingBytes })
    return countBody(sender.request, ceilingBytes, onExceeded).on('error', () => sender.onBodyBroken())
  }
  return {
    receive(sender) {
      const { request, framing } = sender
      if (request.complete) return sender.dispatch({ kind: 'ready' })
      if (!hold(sender)) return sender.stop({ why: 'overloaded', refusal: 'bodies-full' })
      if (framing.kind !== 'length' || !isCollected(request, framing.bytes)) return sender.dispatch({ kind: 'ready' })
      collectBody(request, framing.bytes, (chunks) => {
        sender.body = readyBody(chunks)
        sender.dispatch({ kind: 'ready' })
      })
    },
    wait: (sender) => sender.framing.kind === 'none' || hold(sender),
    send(sender, replica) {
      const { request, framing } = sender
      if (framing.kind === 'none') return true
      // Again for the next replica after a refused connection.
      if (request.complete) room.release(sender)
      else if (!room.arrive(sender, replica)) return false
      else request.once('end', () => room.release(sender))
      if (framing.kind === 'chunked') sender.body ??= count(sender)
      return true
    },
    release: room.release,
  }
}

interface BodyHolderDeps {
  bodies: RequestBodies<BodySender>
  errors: ErrorSender
  forwarded: (request: IncomingMessage) => ForwardedFacts
  noteRefusal: (exchange: Exchange, stop: Stop) => void
}

/** Holds room until the returned function is called. Responds if there is none, or if another address displaces the body. */
export function createBodyHolder({ bodies, errors, forwarded, noteRefusal }: BodyHolderDeps) {
  return (request: IncomingMessage, response: ServerResponse): (() => void) => {
    const framing = framingForUpstream(request)
    if (framing.kind === 'none') return () => {}
    const holder: BodySender = {
      request,
      framing,
      network: networkOf(forwarded(request).client),
      shares: [],
      body: undefined,
      dispatch() {},
      onBodyBroken() {},
      stop(stop) {
        noteRefusal(exchangeOf(request), stop)
        sendStop(errors, stop, { request, response, isBodyUnread: !request.complete })
        request.resume()
      },
    }
    let isOver = false
    // A body that arrives with its head is complete once the parser has returned.
    setImmediate(() => {
      if (isOver || request.complete || response.headersSent || bodies.wait(holder)) return
      holder.stop({ why: 'overloaded', refusal: 'bodies-full' })
    })
    return () => {
      isOver = true
      bodies.release(holder)
    }
  }
}
