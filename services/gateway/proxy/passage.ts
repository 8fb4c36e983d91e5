// One request on its way through a service: what the proxy remembers of it between its events.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Stream } from 'node:stream'
import type { Replica, Replicas } from '../../shared/node/replicas.ts'
import type { Exchange } from '../exchange.ts'
import type { Route } from '../routes.ts'
import type { RoomTaker } from './body-room.ts'
import { imageKey } from './image-key.ts'
import { codedError, REPLICA_OUT } from './proxy-errors.ts'
import type { PassageEvents } from './proxy-server.ts'
import type { Framing } from './request-framing.ts'

/** One request on its way through a service. */
export interface Passage extends RoomTaker {
  readonly exchange: Exchange
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly route: Route
  readonly replicas: Replicas
  /** What is sent in place of the request itself: a collected body, or a counted one. */
  body: Stream | undefined
  readonly hasBody: boolean
  /** As the upstream gets it. */
  readonly framing: Framing
  /** The build that a request for page data names. */
  readonly build: string | undefined
  /** A second try cannot do harm: no body, and a method that changes nothing. */
  readonly isRepeatable: boolean
  /** The replica tried now; undefined before the first and after the last. */
  replica: Replica | undefined
  upstreamRequest: ClientRequest | undefined
  /** No more to decide: an answer began, ours or the upstream's, or the visitor left. */
  isSettled: boolean
  /** When a response must have begun, by performance.now(); undefined while the request is still arriving. */
  deadline: number | undefined
  connectTimer: NodeJS.Timeout | undefined
  onOut: () => void
  readonly events: PassageEvents
}

/** Where a request carries its passage. */
export const PASSAGE = Symbol('passage')
/** A request as the proxy's events hand it back. */
export type Carrier = IncomingMessage & { [PASSAGE]?: Passage }

/** Ends the passage's part in its replica's count. */
export function leave(passage: Passage) {
  clearTimeout(passage.connectTimer)
  if (!passage.replica) return
  passage.replicas.settle(passage.replica, passage.onOut)
  passage.replicas.end(passage.replica)
  passage.replica = undefined
}

/** The replica went out while the request waited: the error that this makes leads to the second try. */
export function leaveReplica(passage: Passage) {
  if (!passage.isSettled) passage.upstreamRequest?.destroy(codedError(REPLICA_OUT, 'the replica went out'))
}

/** What sends a request to the same replica as others like it. */
export function keyOf({ route, exchange }: Passage): string | undefined {
  return route.by === 'images' ? imageKey(exchange.search) : undefined
}
