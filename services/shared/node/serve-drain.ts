// How a service stops serving (O5): goes on for a while, finishes what runs, and closes no connection under a request.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How often a draining server looks for connections that have become idle. */
const IDLE_SWEEP_MS = 50
/** A request that has not come whole so long after the end of listening was given up by its client. */
const HALF_SENT_MS = 1000
/** Before the deadline: what is idle is closed, whoever may be about to use it. */
const CLOSING_MS = 1000

export interface DrainOptions {
  drain: { delayMs: number; deadlineMs: number }
  onDrain?: () => void
  close?: () => Promise<void>
}

/** What a service holds while it serves. */
export interface Held {
  servers: readonly Server[]
  connections: ReadonlySet<Socket>
  upgraded: ReadonlySet<Duplex>
  /** Answers under way. */
  running: ReadonlySet<ServerResponse>
}

/** Resolves when nothing runs any more and every connection is closed. */
export async function drain({ servers, connections, upgraded, running }: Held, options: DrainOptions): Promise<void> {
  const { delayMs, deadlineMs } = options.drain
  const startedAt = performance.now()
  // A client that is told to close takes its next request to another replica (RFC 9112 section 9.6).
  let freedAt = Number.NEGATIVE_INFINITY
  for (const response of running)
    if (!response.headersSent) response.shouldKeepAlive = false
    else response.once('close', () => (freedAt = performance.now()))
  // A client that was not told uses its connection again at once, and is told then: closing the connection in the
  // moment in which it became idle would meet that request on its way.
  const mayClose = () => {
    const now = performance.now()
    return now - freedAt >= delayMs || now - startedAt >= deadlineMs - CLOSING_MS
  }
  await sleep(delayMs)
  // An upgraded connection has no end of its own to wait for; its client connects again elsewhere.
  for (const socket of upgraded) socket.destroy()
  options.onDrain?.()
  await readArrived()
  // The end of listening closes idle connections, too.
  while (!mayClose()) await sleep(IDLE_SWEEP_MS).then(readArrived)
  // Half a head, or the rest of a body whose answer is sent: nothing runs for it, and node:http does not call it idle.
  const closeHalfSent = () => {
    if (!mayClose()) return
    const busy = new Set([...running].map((response) => response.req.socket))
    for (const socket of connections) if (!busy.has(socket)) socket.destroy()
  }
  const halfSent = setInterval(() => void readArrived().then(closeHalfSent), HALF_SENT_MS)
  await Promise.all(servers.map((server) => closeWhenIdle(server, mayClose)))
  clearInterval(halfSent)
  await options.close?.()
}

function closeWhenIdle(server: Server, mayClose: () => boolean): Promise<void> {
  return new Promise((done) => {
    // An answer whose head was sent before the drain leaves its connection kept alive: it becomes idle only later, and
    // the client may hold it for longer than the deadline.
    const sweep = setInterval(
      () => void readArrived().then(() => mayClose() && server.closeIdleConnections()),
      IDLE_SWEEP_MS,
    )
    server.close(() => {
      clearInterval(sweep)
      done()
    })
  })
}

/**
 * Reads what has arrived before idle connections are closed: timers run before the sockets' next turn, and a request
 * that waits in a connection's buffer would be lost with it.
 */
function readArrived(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds).unref())
}
