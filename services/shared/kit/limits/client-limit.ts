// Limits how often one client does something, over all replicas where they share a Redis (G8, I7).

import { LRUCache } from 'lru-cache'
import { networkOf } from '../http/network-of.ts'
import { endOfWaiting, takeTurn } from './turns.ts'

export interface ClientLimit {
  /**
   * Takes a turn of the client with this address (IPv6: of its /64). Returns 0, or the milliseconds until the client has
   * its next turn. Never rejects.
   */
  take(address: string): Promise<number>
  /** The milliseconds until the client has its next turn, as far as this process knows; takes none. */
  peek(address: string): number
}

interface ClientLimitOptions {
  perMinute: number
  /** Takes a turn in the store of all replicas, as `take` does; undefined: the store is unavailable. */
  takeShared?: ((network: string) => Promise<number | undefined>) | undefined
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  /** Clients that this process remembers. */
  most?: number
}

/** SECURITY: addresses cost a client with a large network nothing, so their number is limited: 20 000 take 3 MB. */
const MOST_CLIENTS = 20_000

/** Begins without clients. */
export function createClientLimit(options: ClientLimitOptions): ClientLimit {
  const { perMinute, takeShared, now = () => performance.now(), most = MOST_CLIENTS } = options
  const ends = new LRUCache<string, number>({ max: most })
  return {
    peek: (address) => takeTurn(ends.get(networkOf(address)), now(), perMinute).waitMs,
    async take(address) {
      const network = networkOf(address)
      const own = takeTurn(ends.get(network), now(), perMinute)
      // A client above its limit costs no command: what this replica counted, the store has counted too.
      if (own.waitMs > 0) return own.waitMs
      ends.set(network, own.end)
      const waitMs = await takeShared?.(network)
      if (!waitMs) return 0
      // The turns were taken at other replicas.
      ends.set(network, endOfWaiting(waitMs, now(), perMinute))
      return waitMs
    },
  }
}

/** Whole seconds for `Retry-After`. */
export function retryAfterOf(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000))
}
