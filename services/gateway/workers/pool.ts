// The workers of a gateway: starts them, starts one again that ended, replaces them one by one, stops them.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterExit, NO_EXITS } from '@portico/shared/kit/life/restart/restart-policy.ts'
import { CannotServeError } from '@portico/shared/kit/life/warm-up.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Member, WorkerExit } from './member.ts'
import { createReplacing, type Slot, START_LIMIT_MS } from './replace-workers.ts'

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
  /** Of the drain of one worker. */
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
