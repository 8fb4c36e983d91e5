// Limits the running requests of one client.

import type { ClientIdentity } from './client-identity.ts'
import type { RequestFacts } from './request-facts.ts'

/** The name for counting a client before its body is read: identity, else address and User-Agent. For limits only. */
export function countedAs(
  { id }: ClientIdentity,
  { address, userAgent }: Pick<RequestFacts, 'address' | 'userAgent'>,
): string {
  return id ?? `${address}\0${userAgent}`
}

/** Counts running requests per client. */
export interface ClientLimit {
  /** Takes a place; undefined when all places are taken. The returned function releases the place. */
  enter(client: string): (() => void) | undefined
}

export function createClientLimit(places: number): ClientLimit {
  const running = new Map<string, number>()
  return {
    enter(client) {
      const count = running.get(client) ?? 0
      if (count >= places) return undefined
      running.set(client, count + 1)
      return () => {
        const left = (running.get(client) ?? 1) - 1
        if (left === 0) running.delete(client)
        else running.set(client, left)
      }
    },
  }
}
