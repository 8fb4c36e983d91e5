// The workers of a gateway: starts them, starts one again that ended, stops them, and replaces them one by one: a new
// worker accepts connections before the old one stops.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterExit, NO_EXITS, type RestartState } from '@portico/shared/kit/life/restart/restart-policy.ts'
import { CannotServeError } from '@portico/shared/kit/life/warm-up.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Member, WorkerExit } from './member.ts'

/** From the start of a new worker until it accepts connections: longer than its warm-up with an unavailable store. */
const START_LIMIT_MS = 60_000
/** A replaced worker serves its open connections for this long before it drains. */
const RETIRED_MS = 3000

/** One worker, and its successors. */
interface Slot {
  member: Member
  restarts: RestartState
}

interface ReplacingDeps {
  slots: readonly Slot[]
  fork: () => Member
  /** Makes the worker that of the slot. */
  follow: (slot: Slot, member: Member) => void
  stopMember: (member: Member) => Promise<void>
  isStopping: () => boolean
  log: Log
}

/** Returns the function that replaces all workers; a call while it runs repeats it once. */
function createReplacing({ slots, fork, follow, stopMember, isStopping, log }: ReplacingDeps) {
  let replacing: Promise<void> | undefined
  let mustRepeat = false

  const replace = async (slot: Slot) => {
    const next = fork()
    const limit = new AbortController()
    await Promise.race([next.started, sleep(START_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => {})])
    limit.abort()
    if (isStopping()) return next.kill('SIGTERM')
    if (!next.isListening()) {
      next.kill('SIGKILL')
      throw new Error(`worker ${next.id} did not start`)
    }
    const earlier = slot.member
    follow(slot, next)
    slot.restarts = NO_EXITS
    await earlier.retire()
    // Most connections are closed with their next response: an idle one may be closed just as its client uses it.
    await Promise.race([earlier.exited, sleep(RETIRED_MS, undefined, { ref: false })])
    if (!isStopping()) await stopMember(earlier)
  }

  const replaceEach = async () => {
    log.info({ event: 'workers-replacing', workers: slots.length }, 'replacing workers')
    try {
      for (const slot of slots) if (!isStopping()) await replace(slot)
      log.info({ event: 'workers-replaced' }, 'workers replaced')
    } catch (error) {
      log.error({ event: 'workers-not-replaced', error }, 'workers not replaced: the earlier ones continue')
    }
  }

  const repeat = async () => {
    do {
      mustRepeat = false
      await replaceEach()
    } while (mustRepeat && !isStopping())
    replacing = undefined
  }

  return async function replaceAll(): Promise<void> {
    if (isStopping()) return
    mustRepeat = replacing !== undefined
    replacing ??= repeat()
    await replacing
  }
}

/** A worker whose event loop stands still for this long is killed, as a probe would have a process of one restarted. */
const SILENT_MS = 30_000
const WATCH_MS = 1000
/** After the deadline of its drain a worker is killed. */
const GRACE_MS = 1000
/** Exits within a short time that the log reports as an error. */
const LOOP_EXITS = 5

interface PoolOptions {
  count: number
  fork: () => Member
  /** Time limit for the drain of one worker. */
  deadlineMs: number
  /** Called once for each worker that ended. */
  onEnded: (member: Member) => void
  /** A worker ended that nothing had stopped. */
  onCrash: () => void
  log: Log
}

export interface Pool {
  /** Resolves when all workers accept connections; rejects when one ends several times before. */
  start(): Promise<void>
  /** All workers that run, also those that start or stop. */
  members(): readonly Member[]
  /** Replaces each worker: the new one accepts connections before the old one stops. */
  replaceAll(): Promise<void>
  /** Stops all workers as SIGTERM does; resolves when all have ended. */
  stop(): Promise<void>
  killAll(): void
}

export function createPool(options: PoolOptions): Pool {
  const { count, deadlineMs, log } = options
  const running = new Set<Member>()
  const slots: Slot[] = []
  const { promise: gaveUp, reject: giveUp } = Promise.withResolvers<never>()
  // Only start() listens.
  gaveUp.catch(() => {})
  let wasReady = false
  let isStopping = false
  const watch = watchSilence(slots, log)

  const fork = (): Member => {
    const member = options.fork()
    running.add(member)
    void member.exited.then(() => {
      running.delete(member)
      options.onEnded(member)
    })
    return member
  }

  const restart = (slot: Slot, { code, signal }: WorkerExit) => {
    options.onCrash()
    const { member } = slot
    const ranMs = performance.now() - member.startedAt
    const next = afterExit(slot.restarts, { name: `worker ${member.id}`, code, signal, ranMs, wasReady })
    if (next.kind === 'give-up') return giveUp(new CannotServeError(next.error.message, { cause: next.error }))
    slot.restarts = next.state
    const isLoop = ranMs < SILENT_MS && next.state.exits >= LOOP_EXITS
    log[isLoop ? 'error' : 'warn']({ event: 'worker-exit', worker: member.id, exits: next.state.exits }, next.message)
    setTimeout(() => {
      if (!isStopping && slot.member === member) follow(slot, fork())
    }, next.pauseMs)
  }

  function follow(slot: Slot, member: Member): void {
    slot.member = member
    void member.exited.then((exit) => {
      if (!isStopping && slot.member === member) restart(slot, exit)
    })
  }

  const stopMember = (member: Member) => endMember(member, deadlineMs + GRACE_MS)
  return {
    async start() {
      while (slots.length < count) {
        const slot: Slot = { member: fork(), restarts: NO_EXITS }
        slots.push(slot)
        follow(slot, slot.member)
      }
      await Promise.race([allListen(slots), gaveUp])
      wasReady = true
    },
    members: () => [...running],
    replaceAll: createReplacing({ slots, fork, follow, stopMember, isStopping: () => isStopping, log }),
    async stop() {
      isStopping = true
      clearInterval(watch)
      await Promise.all([...running].map(stopMember))
    },
    killAll() {
      for (const member of running) member.kill('SIGKILL')
    },
  }
}

async function allListen(slots: readonly Slot[]): Promise<void> {
  while (!slots.every(({ member }) => member.isListening())) {
    await Promise.race(slots.flatMap(({ member }) => (member.isListening() ? [] : member.started)))
    // The successor of a worker that ended starts after a pause.
    await sleep(10)
  }
}

async function endMember(member: Member, limitMs: number): Promise<void> {
  if (member.hasExited()) return
  member.kill('SIGTERM')
  const timer = setTimeout(() => member.kill('SIGKILL'), limitMs)
  await member.exited
  clearTimeout(timer)
}

/**
 * Kills workers that do not report. One that starts has the time of a start, too. Counts its own checks, not the clock: after a
 * pause of the whole gateway the timer fires before the reports of the workers are read.
 */
function watchSilence(slots: readonly Slot[], log: Log): NodeJS.Timeout {
  const silences = new WeakMap<Member, { heardAt: number; checks: number }>()
  const check = ({ member }: Slot) => {
    const limitMs = member.isListening() ? SILENT_MS : SILENT_MS + START_LIMIT_MS
    const heardAt = member.heardAt()
    const before = silences.get(member)
    const checks = before?.heardAt === heardAt ? before.checks + 1 : 0
    silences.set(member, { heardAt, checks })
    if (member.hasExited() || checks * WATCH_MS < limitMs) return
    log.error({ event: 'worker-killed', worker: member.id }, 'worker does not respond')
    member.kill('SIGKILL')
  }
  return setInterval(() => slots.forEach(check), WATCH_MS).unref()
}
