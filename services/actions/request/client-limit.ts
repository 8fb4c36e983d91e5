// Keeps one client from filling the service with work.

import type { ClientIdentity } from './client-identity.ts'
import type { RequestFacts } from './request-facts.ts'

/** What a client is counted by before its body is read: its identity, else address and User-Agent. For limits only. */
export function countedAs(
  { id }: ClientIdentity,
  { address, userAgent }: Pick<RequestFacts, 'address' | 'userAgent'>,
): string {
  return id ?? `${address}\0${userAgent}`
}

/** Counts what runs per client. */
export interface ClientLimit {
  /** Takes a place; undefined when all are taken. The returned function gives it back. */
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
