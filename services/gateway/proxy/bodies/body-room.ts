// Room for request bodies that still arrive or wait (A7, G8): bytes in the gateway, and slots at each replica.

import { ARRIVING_BODIES_SHARE } from '@portico/shared/wire/constants.ts'
import type { Replica } from '../../replicas/replicas.ts'
import { addItem, createFairShare, type FairShare, removeItem } from './fair-share.ts'

/** A request whose body holds room. */
export interface RoomHolder {
  /** The network that the client owns, as of network-of.ts. */
  readonly network: string
  /** The shares in which the body holds room now. */
  readonly shares: FairShare<RoomHolder>[]
}

interface BodyRoomOptions<T extends RoomHolder> {
  /** For all bodies together, in the gateway. */
  bytes: number
  /** The body lost its room to a body of another address. */
  onDisplaced: (holder: T) => void
}

export function createBodyRoom<T extends RoomHolder>({ bytes, onDisplaced }: BodyRoomOptions<T>) {
  const held = createFairShare<RoomHolder>(bytes)
  const arriving = new WeakMap<Replica, FairShare<RoomHolder>>()

  const take = (holder: T, share: FairShare<RoomHolder>, weight: number): boolean => {
    if (holder.shares.includes(share)) return true
    const displaced = addItem(share, holder.network, holder, weight)
    if (!displaced) return false
    holder.shares.push(share)
    for (const lost of displaced) {
      // Only this function adds holders to these shares.
      release(lost as T)
      onDisplaced(lost as T)
    }
    return true
  }

  const leave = (holder: T, share: FairShare<RoomHolder>) => {
    holder.shares.splice(holder.shares.indexOf(share), 1)
    removeItem(share, holder.network, holder)
  }

  function release(holder: T): void {
    for (const share of holder.shares.splice(0)) removeItem(share, holder.network, holder)
  }

  return {
    /** Reserves room for so many bytes of the body. Returns whether there was room. */
    hold: (holder: T, weight: number): boolean => take(holder, held, weight),
    /** Reserves a slot at the replica for a request whose body still arrives. Returns whether there was one. */
    arrive(holder: T, replica: Replica): boolean {
      const share = arriving.get(replica) ?? createFairShare<RoomHolder>(replica.inFlightLimit * ARRIVING_BODIES_SHARE)
      arriving.set(replica, share)
      // The replica before refused the connection.
      for (const other of holder.shares.filter((each) => each !== held && each !== share)) leave(holder, other)
      return take(holder, share, 1)
    },
    /** Releases all room of the body. */
    release,
  }
}
