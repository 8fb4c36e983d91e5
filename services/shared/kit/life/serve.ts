// The life of a service: listen, warm up, respond to probes, drain (O4, O5, O9). run-service.ts has the process.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorContentOf, sendError } from '../http/error-response.ts'
import { handleExpectations } from '../http/expectations.ts'
import type { Log } from '../observe/log.ts'
import { createRefusals, type Refusals } from '../observe/refusals.ts'
import { stopTracing, traceRequest } from '../observe/tracing.ts'
import { type InnerPort, respondInner } from './inner-port.ts'
import { createLimitedServers, type PublicClients } from './limited-servers.ts'
import { drain } from './serve-drain.ts'
import { warmUp } from './warm-up.ts'

export interface Listener {
  /** Name in logs and in `ports`. */
  name: string
  host: string
  /** 0 lets the system choose. */
  port: number
  /** True if another service needs the listener during the warm-up; every other listener opens after the warm-up. */
  opensBeforeWarmUp?: boolean
  handler: RequestListener
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** False if the handler itself refuses requests without a Host header (default true). */
  requireHostHeader?: boolean
  /** Milliseconds; longer than any client's keep-alive, so that the client closes first (default 75 000). */
  keepAliveTimeoutMs?: number
  /** Present if clients connect that are not services of the stack. */
  clients?: PublicClients
}

export interface ServiceOptions {
  log: Log
  listeners: Listener[]
  /** Limit for the connections of each listener (default MAX_CONNECTIONS). */
  maxConnections?: number
  /** Counts refusals of limits; given if the service counts its own refusals there, too. */
  refusals?: Refusals
  inner: { host: string; port: number } & InnerPort
  /** All work before the first request: load modules, try caches, publish files (warm-up.ts). */
  warm?: () => Promise<void>
  /** Reasons why the service is not ready now, besides warming and draining; called at each probe. */
  notReady?: () => string[]
  /** After the drain delay: ends connections that would not end, such as event streams (their clients reconnect). */
  onDrain?: () => void
  /** Releases resources after the last response. */
  close?: () => Promise<void>
  drain: { delayMs: number; deadlineMs: number }
}

export interface Service {
  /** Ports by listener name, and `inner`. */
  ports: Record<string, number>
  /**
   * Reports not ready, serves for the delay, finishes running requests, closes; resolves at the deadline at the latest.
   */
  stop(): Promise<{ finished: boolean }>
}

/**
 * Opens the inner port, then listeners that others need early, warms up, opens the other listeners, and then reports
 * ready. Rejects when a port is in use, and with CannotServeError; other faults of the warm-up are tried again.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log, inner, warm = async () => {} } = options
  let state: 'warming' | 'ready' | 'draining' = 'warming'
  let fault = ''
  const reasons = () => {
    if (state === 'ready') return options.notReady?.() ?? []
    return [fault === '' ? state : `${state}: ${fault}`]
  }
  const servers: Server[] = []
  const connections = new Set<Socket>()
  const upgraded = new Set<Duplex>()
  const running = new Set<ServerResponse>()
  const ports: Record<string, number> = {}

  const { maxConnections, refusals = createRefusals({ log, registry: inner.metrics }) } = options
  const limited = createLimitedServers({ maxConnections, refusals })

  const innerServer = limited.create({
    name: 'inner',
    options: {},
    handler: (request, response) => {
      void respondInner(request, response, inner, reasons).catch((error: unknown) =>
        sendError(response, 'data', errorContentOf(error, log, request)),
      )
    },
  })
  try {
    ports.inner = await listen(innerServer, 'inner', inner.host, inner.port)
    const open = async (listener: Listener) => {
      const { keepAliveTimeoutMs: keepAliveTimeout = 75_000, requireHostHeader = true } = listener
      const server = limited.create({
        name: listener.name,
        options: { keepAliveTimeout, requireHostHeader },
        clients: listener.clients,
        running,
        handler: (request, response) => {
          if (state === 'draining') response.shouldKeepAlive = false
          running.add(response)
          response.once('close', () => running.delete(response))
          traceRequest(request, response, listener.handler)
        },
      })
      handleExpectations(server)
      server.on('connection', (socket) => {
        connections.add(socket)
        socket.once('close', () => connections.delete(socket))
      })
      const { onUpgrade } = listener
      if (onUpgrade)
        server.on('upgrade', (request, socket, head) => {
          upgraded.add(socket)
          socket.once('close', () => upgraded.delete(socket))
          // Node removes its own listener when it hands a socket over: without a listener a reset would end the
          // process.
          socket.on('error', () => socket.destroy())
          onUpgrade(request, socket, head)
        })
      servers.push(server)
      ports[listener.name] = await listen(server, listener.name, listener.host, listener.port)
    }
    const later = options.listeners.filter(({ opensBeforeWarmUp }) => !opensBeforeWarmUp)
    for (const listener of options.listeners) if (!later.includes(listener)) await open(listener)
    for (const { name, host, port } of later) await checkPort(name, host, port)
    await warmUp({ warm, log, onFault: (reason) => (fault = reason) })
    fault = ''
    for (const listener of later) await open(listener)
  } catch (error) {
    limited.close()
    for (const server of [innerServer, ...servers]) {
      server.close()
      server.closeAllConnections()
    }
    throw error
  }
  state = 'ready'
  log.info({ event: 'ready', ports }, 'ready')

  return {
    ports,
    async stop() {
      state = 'draining'
      const { deadlineMs } = options.drain
      const startedAt = performance.now()
      const deadline = sleep(deadlineMs).then(() => false)
      const drained = drain({ servers, connections, upgraded, running }, options).then(() => true)
      const finished = await Promise.race([deadline, drained])
      for (const server of servers) server.closeAllConnections()
      innerServer.close()
      innerServer.closeAllConnections()
      limited.close()
      const leftMs = deadlineMs - (performance.now() - startedAt)
      await stopTracing(Math.max(0, Math.min(LAST_SPANS_MS, leftMs)))
      return { finished }
    },
  }
}

/** Time limit for sending the last spans, if the deadline leaves that much. */
const LAST_SPANS_MS = 2000

/**
 * Connections that may wait for accept (the system caps it): Node's 511 lose packets when a thousand connect together.
 */
const BACKLOG = 4096

function listen(server: Server, name: string, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message
      reject(new Error(`cannot listen on ${host}:${port} (${name}): ${reason}`, { cause }))
    })
    // A TCP server that listens has an AddressInfo, never a pipe name.
    server.listen({ port, host, backlog: BACKLOG }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Rejects when the port is in use now: an error before a long warm-up is better than one after it. */
async function checkPort(name: string, host: string, port: number): Promise<void> {
  if (port === 0) return
  const server = createServer().on('connection', (socket) => socket.destroy())
  await listen(server, name, host, port)
  await new Promise((done) => server.close(done))
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds).unref())
}
