// What happens to the body of a request before and while it is sent to a replica (A7, G8): small ones are collected, the
// others are passed on as they arrive, and all hold room in body-room.ts until they have arrived.

import type { Replica } from '../../shared/node/replicas.ts'
import { createBodyRoom } from './body-room.ts'
import { addCeiling } from './byte-ceiling.ts'
import type { Passage } from './passage.ts'
import { readyBody } from './ready-body.ts'
import { collectBody, isCollected } from './whole-body.ts'

export interface RequestBodiesDeps {
  /** What all bodies may hold in the gateway. */
  waitingBytes: number
  arrivingPerReplica: number
  ceilingBytes: number
  /** The request may be sent. */
  begin: (passage: Passage) => void
  refuse: (passage: Passage, reason: 'bodies-full' | 'body-displaced') => void
  onTooLarge: (passage: Passage, received: number) => void
}

export interface RequestBodies {
  /** Takes a request whose head has arrived. */
  receive(passage: Passage): void
  /** Whether the request, of which all or a part has arrived, may wait for a replica. */
  wait(passage: Passage): boolean
  /** Called before the request is sent: whether it may be. */
  send(passage: Passage, replica: Replica): boolean
  /** The response is closed. */
  leave(passage: Passage): void
}

export function createRequestBodies(deps: RequestBodiesDeps): RequestBodies {
  const { waitingBytes, arrivingPerReplica, ceilingBytes, begin, refuse, onTooLarge } = deps
  const room = createBodyRoom<Passage>({
    bytes: waitingBytes,
    arrivingPerReplica,
    onDisplaced: (passage) => refuse(passage, 'body-displaced'),
  })
  /** The request's own buffer holds so much of a body that is not read. */
  const hold = (passage: Passage) => {
    const { framing, request } = passage
    const mostBytes = request.readableHighWaterMark
    return room.hold(passage, framing.kind === 'length' ? Math.min(framing.bytes, mostBytes) : mostBytes)
  }
  return {
    receive(passage) {
      const { request, framing } = passage
      if (request.complete) return begin(passage)
      if (!hold(passage)) return refuse(passage, 'bodies-full')
      if (framing.kind !== 'length' || !isCollected(request, framing.bytes)) return begin(passage)
      collectBody(request, framing.bytes, (chunks) => {
        passage.body = readyBody(chunks)
        begin(passage)
      })
    },
    wait: (passage) => !passage.hasBody || hold(passage),
    send(passage, replica) {
      const { request, hasBody, framing } = passage
      if (!hasBody) return true
      if (request.complete) room.leave(passage)
      else if (!room.arrive(passage, replica)) return false
      else request.once('end', () => room.leave(passage))
      if (framing.kind === 'chunked') addCeiling(passage, ceilingBytes, (received) => onTooLarge(passage, received))
      return true
    },
    leave: room.leave,
  }
}
