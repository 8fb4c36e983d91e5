// The workers of a gateway: starts them, starts one again that ended, replaces them one by one, stops them.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterExit, NO_EXITS, type RestartState } from '@portico/shared/kit/life/restart/restart-policy.ts'
import { CannotServeError } from '@portico/shared/kit/life/warm-up.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Member, WorkerExit } from './member.ts'

/** A worker whose event loop stands still for this long is killed, as a probe would have a process of one restarted. */
const SILENT_MS = 30_000
const WATCH_MS = 1000
/** Of a new worker, from its start until it accepts connections: longer than its warm-up with an unavailable store. */
const START_LIMIT_MS = 60_000
/** A replaced worker serves its open connections for this long before it drains. */
const RETIRED_MS = 3000
/** After the deadline of its drain a worker is killed. */
const GRACE_MS = 1000
/** Exits within a short time that the log reports as an error. */
const LOOP_EXITS = 5

/** One worker, and its successors. */
interface Slot {
  member: Member
  restarts: RestartState
}

export interface PoolOptions {
  count: number
  fork: () => Member
  /** Of the drain of one worker. */
  deadlineMs: number
  /** Called once for each worker that ended. */
  onEnded: (member: Member) => void
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
}

export function createPool(options: PoolOptions): Pool {
  const { count, deadlineMs, log } = options
  const running = new Set<Member>()
  const slots: Slot[] = []
  const { promise: gaveUp, reject: giveUp } = Promise.withResolvers<never>()
  gaveUp.catch(() => {})
  let wasReady = false
  let isStopping = false
  let replacing: Promise<void> | undefined
  let mustRepeat = false

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

  const stopMember = async (member: Member) => {
    if (member.hasExited()) return
    member.kill('SIGTERM')
    const timer = setTimeout(() => member.kill('SIGKILL'), deadlineMs + GRACE_MS)
    await member.exited
    clearTimeout(timer)
  }

  const replace = async (slot: Slot) => {
    const next = fork()
    const limit = new AbortController()
    await Promise.race([next.started, sleep(START_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => {})])
    limit.abort()
    if (isStopping) return next.kill('SIGTERM')
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
    if (!isStopping) await stopMember(earlier)
  }

  const replaceEach = async () => {
    log.info({ event: 'workers-replacing', workers: slots.length }, 'replacing workers')
    try {
      for (const slot of slots) if (!isStopping) await replace(slot)
      log.info({ event: 'workers-replaced' }, 'workers replaced')
    } catch (error) {
      log.error({ event: 'workers-not-replaced', error }, 'workers not replaced: the earlier ones continue')
    }
  }

  const watch = setInterval(() => {
    for (const { member } of slots) {
      if (
        member.hasExited() ||
        performance.now() - member.heardAt() < SILENT_MS + START_LIMIT_MS * Number(!member.isListening())
      )
        continue
      log.error({ event: 'worker-killed', worker: member.id }, 'worker does not respond')
      member.kill('SIGKILL')
    }
  }, WATCH_MS).unref()

  return {
    async start() {
      while (slots.length < count) {
        const slot: Slot = { member: fork(), restarts: NO_EXITS }
        slots.push(slot)
        follow(slot, slot.member)
      }
      const allListen = async () => {
        while (!slots.every(({ member }) => member.isListening())) {
          await Promise.race(slots.flatMap(({ member }) => (member.isListening() ? [] : member.started)))
          // The start of its successor comes after a pause.
          await sleep(10)
        }
      }
      await Promise.race([allListen(), gaveUp])
      wasReady = true
    },
    members: () => [...running],
    async replaceAll() {
      mustRepeat = replacing !== undefined
      replacing ??= (async () => {
        do {
          mustRepeat = false
          await replaceEach()
        } while (mustRepeat && !isStopping)
      })().finally(() => {
        replacing = undefined
      })
      await replacing
    },
    async stop() {
      isStopping = true
      clearInterval(watch)
      await Promise.all([...running].map(stopMember))
    },
  }
}
