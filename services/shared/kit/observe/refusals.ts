// Counts what a service refused for its own protection, and logs the counts at most once a minute.

import { Counter, type Registry } from '@prometheus-io/client'
import type { Log } from './log.ts'

/** Why a connection or request was refused. */
const REFUSAL_REASONS = [
  /** A new connection above the total limit, or above the limit of its address. */
  'connections',
  'connections-per-address',
  /** An idle connection of an address with many, closed for a connection of another address. */
  'connection-displaced',
  /** Too many running requests of one address. */
  'requests-per-address',
  /** Too many requests of one client that change something, in a minute. */
  'post-rate',
  /** The head of a request was late. */
  'head-late',
  /** A body that paused too long, or arrived too slowly. */
  'body-idle',
  'body-slow',
  /** A body that the service did not read for too long. */
  'body-unread',
  /** A body that continued long after the end of its response. */
  'body-after-response',
  /** A client that took nothing of its response for too long. */
  'response-unread',
  /** No room for one more arriving body of an address that holds as many as any other. */
  'bodies-full',
  /** An arriving body displaced by one of another address. */
  'body-displaced',
  /** Too many requests, or too many bytes, waiting for the first ready replica. */
  'ready-queue-full',
] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export interface Refusals {
  note(listener: string, reason: RefusalReason): void
  /** Writes the log line if there are new refusals and the last line is a minute old. */
  report(): void
}

/** SECURITY: an attack must not fill the log. */
const LOG_INTERVAL_MS = 60_000

interface RefusalsDeps {
  log: Log
  registry?: Registry | undefined
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

export function createRefusals({ log, registry, now = () => performance.now() }: RefusalsDeps): Refusals {
  const total =
    registry &&
    new Counter({
      name: 'portico_refused_total',
      help: 'Connections and requests refused by the limits of a listener.',
      labelNames: ['listener', 'reason'],
      registers: [registry],
    })
  // All series of the listener that clients reach start at 0: otherwise rate() would not count the first refusal.
  for (const reason of REFUSAL_REASONS) total?.inc({ listener: 'public', reason }, 0)
  let counts: Record<string, number> = {}
  let isEmpty = true
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    note(listener, reason) {
      total?.inc({ listener, reason })
      const name = `${listener} ${reason}`
      counts[name] = (counts[name] ?? 0) + 1
      isEmpty = false
    },
    report() {
      if (isEmpty || now() - loggedAt < LOG_INTERVAL_MS) return
      log.warn({ event: 'refused', counts }, 'clients refused by limits')
      counts = {}
      isEmpty = true
      loggedAt = now()
    },
  }
}
