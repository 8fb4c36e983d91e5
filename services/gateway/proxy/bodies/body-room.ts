// Room for request bodies that still arrive or wait (A7, G8): bytes in the gateway, and slots at each replica.

import type { Replica } from '../../replicas/replicas.ts'
import { createFairShare, type FairShare, takeIn, takeOut } from './fair-share.ts'

/** What takes room. */
export interface RoomTaker {
  /** The network that the client owns, as of network-of.ts. */
  readonly network: string
  /** Where it holds room now. */
  readonly places: FairShare<RoomTaker>[]
}

export interface BodyRoomOptions<T extends RoomTaker> {
  /** In all, in the gateway. */
  bytes: number
  arrivingPerReplica: number
  /** The taker lost its room to one of another address. */
  onDisplaced: (taker: T) => void
}

export function createBodyRoom<T extends RoomTaker>({ bytes, arrivingPerReplica, onDisplaced }: BodyRoomOptions<T>) {
  const held = createFairShare<RoomTaker>(bytes)
  const arriving = new WeakMap<Replica, FairShare<RoomTaker>>()

  const take = (taker: T, share: FairShare<RoomTaker>, weight: number): boolean => {
    if (taker.places.includes(share)) return true
    const displaced = takeIn(share, taker.network, taker, weight)
    if (!displaced) return false
    taker.places.push(share)
    for (const lost of displaced) {
      // Every taker of these shares came in by this function.
      leave(lost as T)
      onDisplaced(lost as T)
    }
    return true
  }

  function leave(taker: T): void {
    for (const share of taker.places.splice(0)) takeOut(share, taker.network, taker)
  }

  return {
    /** Whether there is room for so many bytes of the body. */
    hold: (taker: T, weight: number): boolean => take(taker, held, weight),
    /** Whether there is a slot at the replica for a request whose body still arrives. */
    arrive(taker: T, replica: Replica): boolean {
      const share = arriving.get(replica) ?? createFairShare<RoomTaker>(arrivingPerReplica)
      arriving.set(replica, share)
      return take(taker, share, 1)
    },
    /** Gives back all. */
    leave,
  }
}
