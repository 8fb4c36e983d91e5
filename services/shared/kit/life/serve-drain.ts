// How a service stops (O5): serves for a delay, and while a gateway relies on it (O12), finishes running requests, and closes
// no connection with a request.

import { whenClosed } from '../when-closed.ts'
import type { AfterTasks } from './after/after-tasks.ts'
import type { Listeners } from './listeners.ts'
import { reliedUntil } from './relied-until.ts'

/** Interval at which a draining server looks for idle connections. */
const IDLE_SWEEP_MS = 50
/** The client has given up a request that is incomplete this long after the end of listening. */
const HALF_SENT_MS = 1000
/** Before the deadline: idle connections are closed even if the client may be about to use them. */
const CLOSING_MS = 1000
interface DrainOptions {
  drain: { delayMs: number; deadlineMs: number }
  /** Whether a gateway has no other replica of the build. */
  isRelied?: () => boolean
  /** Probes learn from now on that the process closes its port, and gateways choose other replicas. */
  announceEnd?: () => void
  onDrain?: () => void
  after?: Pick<AfterTasks, 'idle'>
  close?: () => Promise<void>
}

/** Resolves when no request runs, every connection is closed, and the work behind the responses is done. */
export async function drain(listeners: Listeners, options: DrainOptions): Promise<void> {
  const { connections, upgraded, running } = listeners
  const { delayMs, deadlineMs } = options.drain
  const startedAt = performance.now()
  // A client that receives `Connection: close` sends its next request to another replica (RFC 9112 section 9.6).
  let freedAt = Number.NEGATIVE_INFINITY
  for (const response of running)
    if (!response.headersSent) response.shouldKeepAlive = false
    else
      whenClosed(response, () => {
        freedAt = performance.now()
      })
  // A client without that header reuses its connection immediately and then receives the header: closing the connection
  // as soon as it becomes idle would collide with the next request.
  const mayClose = () => {
    const now = performance.now()
    return now - freedAt >= delayMs || now - startedAt >= deadlineMs - CLOSING_MS
  }
  await sleep(delayMs)
  await untilNotRelied(options, startedAt)
  // An upgraded connection does not end; its client connects to another replica.
  for (const socket of upgraded) socket.destroy()
  options.onDrain?.()
  await readArrived()
  // The end of listening also closes idle connections.
  while (!mayClose()) await sleep(IDLE_SWEEP_MS).then(readArrived)
  // Half a head, or the rest of a body after its response: no request runs, but node:http does not call the connection
  // idle.
  const closeHalfSent = () => {
    if (!mayClose()) return
    const busy = new Set(running.map((response) => response.req.socket))
    for (const socket of connections) if (!busy.has(socket)) socket.destroy()
  }
  const halfSent = setInterval(() => void readArrived().then(closeHalfSent), HALF_SENT_MS)
  await closeWhenIdle(listeners, mayClose)
  clearInterval(halfSent)
  await options.after?.idle()
  await options.close?.()
}

async function untilNotRelied({ drain, isRelied, announceEnd }: DrainOptions, startedAt: number): Promise<void> {
  const { endMs, announcedMs } = reliedUntil(drain)
  while (isRelied?.()) {
    if (performance.now() - startedAt >= endMs) {
      announceEnd?.()
      return sleep(announcedMs)
    }
    await sleep(IDLE_SWEEP_MS)
  }
}

async function closeWhenIdle({ servers, doors }: Listeners, mayClose: () => boolean): Promise<void> {
  const closeIdle = () => {
    if (mayClose()) for (const server of servers) server.closeIdleConnections()
  }
  // A response whose head was sent before the drain keeps its connection alive: the connection becomes idle only later, and
  // the client may hold it for longer than the deadline.
  const sweep = setInterval(() => void readArrived().then(closeIdle), IDLE_SWEEP_MS)
  await Promise.all([...servers, ...doors].map((each) => new Promise((done) => each.close(done))))
  clearInterval(sweep)
}

/**
 * Reads arrived bytes before idle connections are closed: timers run before the sockets' next turn, and a request in a
 * connection's buffer would be lost with the connection.
 */
function readArrived(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds).unref())
}
