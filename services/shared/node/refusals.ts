// What a service refused to protect itself: a figure for each, and a log line at most once a minute.

import { Counter, type Registry } from 'prom-client'
import type { Log } from './log.ts'

export type RefusalReason =
  /** A new connection above the limit in all, or above the limit of its address. */
  | 'connections'
  | 'connections-per-address'
  /** An idle connection of an address that holds many was closed for a connection of another address. */
  | 'connection-displaced'
  /** Too many running requests of one address. */
  | 'requests-per-address'
  /** The head of a request did not arrive in time. */
  | 'head-late'
  /** A body sent nothing, or too little, for too long. */
  | 'body-idle'
  | 'body-slow'
  /** A body that the service did not read for too long. */
  | 'body-unread'
  /** A body still arrived long after its response had ended. */
  | 'body-after-response'
  /** The client took nothing of its response for too long. */
  | 'response-unread'
  /** There was no room for one more arriving body of an address that holds as much as any. */
  | 'bodies-full'
  /** An arriving body lost its place to one of another address. */
  | 'body-displaced'
  /** Too many requests, or too many bytes, waited for a first ready replica. */
  | 'ready-queue-full'

export interface Refusals {
  note(listener: string, reason: RefusalReason): void
  /** Writes the log line when there is something to report and the last line is a minute old. */
  report(): void
}

/** SECURITY: an attack must not fill the log. */
const LOG_INTERVAL_MS = 60_000

export interface RefusalsDeps {
  log: Log
  registry?: Registry | undefined
  /** Milliseconds of a clock that never goes back. */
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
      log.warn({ event: 'refused', counts }, 'limits refused clients')
      counts = {}
      isEmpty = true
      loggedAt = now()
    },
  }
}
