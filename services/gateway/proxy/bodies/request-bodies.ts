// What happens to the body of a request before and while the body is sent to a replica (A7, G8): small bodies are
// collected, others are passed on as they arrive, and all hold room in body-room.ts until they have arrived.

import type { IncomingMessage } from 'node:http'
import type { Stream } from 'node:stream'
import type { Replica } from '../../replicas/replicas.ts'
import type { Framing } from '../headers/request-framing.ts'
import type { Stop } from '../proxy-errors.ts'
import { createBodyRoom, type RoomHolder } from './body-room.ts'
import { countBody } from './byte-ceiling.ts'
import { readyBody } from './ready-body.ts'
import { collectBody, isCollected } from './whole-body.ts'

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
