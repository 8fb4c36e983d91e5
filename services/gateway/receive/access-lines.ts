// Limits the access lines of one client (G7): the first of a second are written, the others are counted by status and
// reported in one line.

import type { Log } from '@portico/shared/kit/observe/log.ts'

interface AccessLinesDeps {
  log: Log
  /** Lines of one client in a second. */
  most: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

interface Client {
  written: number
  /** Numbers of lines that were not written, by status. */
  left: Record<string, number>
}

const SECOND_MS = 1000
/** SECURITY: addresses cost a client with a large network nothing. Beyond this number clients share one limit. */
const MOST_CLIENTS = 10_000

/**
 * Creates the function that says whether the line of a request may be written. `client` is its network
 * (networkOf). After a second in which lines were left out, one line for each such client has their number by status:
 * `{ "event": "requests", "notLogged": 897, "statuses": { "200": 890, "499": 7 } }`.
 */
export function createAccessLines({ log, most, now = () => performance.now() }: AccessLinesDeps) {
  let clients = new Map<string, Client>()
  let beganAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const report = () => {
    clearTimeout(timer)
    timer = undefined
    const ended = clients
    clients = new Map()
    for (const { left } of ended.values()) {
      const notLogged = Object.values(left).reduce((sum, count) => sum + count, 0)
      if (notLogged > 0) log.info({ event: 'requests', notLogged, statuses: left }, 'requests of one client')
    }
  }
  const clientOf = (name: string): Client => {
    const key = clients.size < MOST_CLIENTS || clients.has(name) ? name : ''
    const found = clients.get(key)
    if (found) return found
    const client = { written: 0, left: {} }
    clients.set(key, client)
    return client
  }

  return function mayWrite(name: string, status: number): boolean {
    const at = now()
    if (at - beganAt >= SECOND_MS) {
      report()
      beganAt = at
    }
    const client = clientOf(name)
    if (client.written < most) {
      client.written++
      return true
    }
    client.left[status] = (client.left[status] ?? 0) + 1
    // The last lines of a client that sends nothing more.
    timer ??= setTimeout(report, SECOND_MS).unref()
    return false
  }
}
