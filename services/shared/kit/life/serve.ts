// The life of a service: listen, warm up, respond to probes, drain (O4, O5, O9). run-service.ts has the process.

import type { RequestListener } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { buildOfVersion } from '../../wire/routing/version.ts'
import { errorContentOf, sendError } from '../http/error-response.ts'
import { randomHex } from '../http/request-id.ts'
import type { Log } from '../observe/log.ts'
import { createRefusals, type Refusals } from '../observe/refusals.ts'
import { stopTracing } from '../observe/tracing.ts'
import type { AfterTasks } from './after/after-tasks.ts'
import { type InnerPort, respondInner } from './inner-port.ts'
import { createLimitedServers } from './limited-servers.ts'
import { checkPort } from './listen.ts'
import { createListeners, type Listener, type Listeners } from './listeners.ts'
import { beginInTurns, listenInTurns } from './loop-turns.ts'
import { drain } from './serve-drain.ts'
import { warmUp } from './warm-up.ts'

/** A service between its settings and its ports: what `open<Service>` returns. */
export interface Opened {
  listeners: Listener[]
  /** Limit for the connections of each listener (default MAX_CONNECTIONS). */
  maxConnections?: number
  /** Counts refusals of limits; given if the service counts its own refusals there, too. */
  refusals?: Refusals
  /** Absent in a process whose parent has the inner port. */
  inner?: { host: string; port: number } & InnerPort
  /** Other processes listen on the same ports: nothing checks whether a port is free. */
  sharesPorts?: boolean
  /** All work before the first request: load modules, try caches, publish files (warm-up.ts). */
  warm?: () => Promise<void>
  /** The listeners are open. */
  onReady?: (ports: Readonly<Record<string, number>>) => void
  /** Reasons why the service is not ready now, besides warming and draining; called at each probe. */
  notReady?: () => string[]
  /** After the drain delay: ends connections that would not end, such as event streams (their clients reconnect). */
  onDrain?: () => void
  /** Work behind responses, which the drain waits for. */
  after?: Pick<AfterTasks, 'idle' | 'unfinished'>
  /** Releases resources after the last response and the work behind it. */
  close?: () => Promise<void>
  drain: { delayMs: number; deadlineMs: number }
}

interface ServiceOptions extends Opened {
  log: Log
}

export interface Service {
  /** Ports by listener name, and `inner`. */
  ports: Record<string, number>
  /**
   * For a process whose successor listens on the same ports: stops listening, and serves the connections that are open; each
   * is closed with its next response. `stop` closes the idle ones.
   */
  retire(): void
  /**
   * Reports not ready, serves for the delay and while a gateway relies on this replica, finishes running requests, closes;
   * resolves at the deadline at the latest.
   */
  stop(): Promise<{ finished: boolean }>
}

interface Life {
  /** `stopping`: the process closes its port in a moment. */
  phase: 'warming' | 'ready' | 'draining' | 'stopping'
  /** The reason of the last failed attempt of the warm-up. */
  fault: string
  /** When a gateway of the build last said that it has no other ready replica. */
  reliedAt: number
}

/**
 * A gateway relies on a replica for this long after its last probe that said so: three intervals of probes, because a probe
 * may be late.
 */
const RELIED_MS = 1500

/**
 * Opens the inner port, then listeners that others need early, warms up, opens the other listeners, and then reports
 * ready. Rejects when a port is in use, and with CannotServeError, after it has closed what was opened; other faults of the
 * warm-up are tried again.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log, inner, maxConnections, refusals = createOwnRefusals(options) } = options
  const life: Life = { phase: 'warming', fault: '', reliedAt: Number.NEGATIVE_INFINITY }
  const limited = createLimitedServers({ maxConnections, refusals })
  const isDraining = () => life.phase === 'draining' || life.phase === 'stopping'
  const listeners = createListeners({ limited, isDraining, sharesPorts: options.sharesPorts })
  const innerServer =
    inner &&
    limited.create({ name: 'inner', options: {}, handler: beginInTurns(innerHandler({ ...options, inner }, life)) })
  const innerDoors: NetServer[] = []
  const closeAll = () => {
    for (const door of [...listeners.doors, ...innerDoors]) door.close()
    for (const server of [...listeners.servers, ...(innerServer ? [innerServer] : [])]) {
      server.close()
      server.closeAllConnections()
    }
    limited.close()
  }
  const { ports } = listeners
  try {
    if (innerServer) ports.inner = await listenInTurns(innerServer, { name: 'inner', ...inner }, innerDoors)
    await openListeners(listeners, options, life)
  } catch (error) {
    closeAll()
    await options.close?.()
    throw error
  }
  life.phase = 'ready'
  options.onReady?.(ports)
  log.info({ event: 'ready', ports }, 'ready')

  return {
    ports,
    retire() {
      life.phase = 'draining'
      listeners.endListening()
    },
    async stop() {
      life.phase = 'draining'
      const { deadlineMs } = options.drain
      const startedAt = performance.now()
      const deadline = sleep(deadlineMs).then(() => false)
      const relied = {
        isRelied: () => performance.now() - life.reliedAt < RELIED_MS,
        announceEnd: () => (life.phase = 'stopping'),
      }
      const drained = drain(listeners, { ...options, ...relied }).then(() => true)
      const finished = await Promise.race([deadline, drained])
      for (const name of options.after?.unfinished() ?? [])
        log.warn({ event: 'after-cut', name }, 'work behind a response cut off at the deadline')
      closeAll()
      const leftMs = deadlineMs - (performance.now() - startedAt)
      await stopTracing(Math.max(0, Math.min(LAST_SPANS_MS, leftMs)))
      return { finished }
    },
  }
}

/** Time limit for sending the last spans, if the deadline leaves that much. */
const LAST_SPANS_MS = 2000

function createOwnRefusals({ log, inner }: ServiceOptions): Refusals {
  const metrics = inner?.metrics
  return createRefusals({ log, registry: typeof metrics === 'function' ? undefined : metrics })
}

function innerHandler({ inner, log, notReady }: ServiceOptions & { inner: InnerPort }, life: Life): RequestListener {
  const build = inner.version === undefined ? undefined : buildOfVersion(inner.version)
  const reported = {
    instance: randomHex(16),
    reasons() {
      if (life.phase === 'ready') return notReady?.() ?? []
      return [life.fault === '' ? life.phase : `${life.phase}: ${life.fault}`]
    },
    noteRelied(by: string) {
      if (by === build) life.reliedAt = performance.now()
    },
  }
  return (request, response) =>
    void respondInner(request, response, inner, reported).catch((error: unknown) =>
      sendError(response, 'data', errorContentOf(error, log, request)),
    )
}

/** Opens the listeners and warms up between those that open early and the others. */
async function openListeners(listeners: Listeners, options: ServiceOptions, life: Life): Promise<void> {
  const { log, warm = async () => {} } = options
  const { early = [], late = [] } = Object.groupBy(options.listeners, (each) =>
    each.opensBeforeWarmUp ? 'early' : 'late',
  )
  for (const listener of early) await listeners.open(listener)
  if (!options.sharesPorts) for (const listener of late) await checkPort(listener)
  await warmUp({ warm, log, onFault: (reason) => (life.fault = reason) })
  life.fault = ''
  for (const listener of late) await listeners.open(listener)
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds).unref())
}
