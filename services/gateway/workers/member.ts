// One worker, as the primary sees it: its process, its calls, and what it reported.

import type { Worker } from 'node:cluster'
import { MAX_MARKS } from '@portico/shared/kit/feed/generations.ts'
import { createSingleRuns } from '@portico/shared/kit/feed/single-runs.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { WhyExplanation, WhyQuestion } from '../explanation.ts'
import type { AwaitedService } from '../replicas/replicas.ts'
import { type Calls, createCalls } from './calls.ts'
import { everythingOf } from './recent-messages.ts'
import type { PrimaryCalls, Snapshot, WorkerCalls } from './wire.ts'

/**
 * A worker that does not apply messages within this time is killed. SECURITY: it would send what was invalidated when it
 * continues; until then it trusts no marks (TRUSTED_MS).
 */
const APPLY_LIMIT_MS = 2000
/** A scrape, or a reader of the status, waits this long for a worker; then its last snapshot counts. */
const SNAPSHOT_LIMIT_MS = 500

const RETIRE_LIMIT_MS = 2000
/** Longer than middleware may take. */
const EXPLAIN_LIMIT_MS = 20_000

export interface WorkerExit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Member {
  readonly id: number
  readonly startedAt: number
  /** Resolves when the worker accepts connections, or has ended. */
  readonly started: Promise<void>
  readonly exited: Promise<WorkerExit>
  isListening(): boolean
  hasExited(): boolean
  /** As the worker last reported. */
  awaited(): readonly AwaitedService[]
  /** When the worker last called. */
  heardAt(): number
  /** Resolves when the worker has applied the message, or has ended. */
  apply(message: InvalidationMessage): Promise<void>
  /** Resolves when the worker accepts no more connections, or does not respond. */
  retire(): Promise<void>
  /** Reads what the worker has counted; what is known else. */
  refresh(): Promise<void>
  snapshot(): Snapshot | undefined
  /** Rejects where the worker does not respond. */
  explain(question: WhyQuestion): Promise<WhyExplanation>
  kill(signal: NodeJS.Signals): void
}

/** `handlers` without what a member keeps itself. */
export type SharedHandlers = Omit<PrimaryCalls, 'report' | 'leave'>

export function createMember(worker: Worker, handlers: SharedHandlers, log: Log): Member {
  const { promise: exited, resolve: end } = Promise.withResolvers<WorkerExit>()
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const startedAt = performance.now()
  const state = { hasJoined: false, isListening: false, hasExited: false, heardAt: startedAt }
  let awaited: readonly AwaitedService[] = []
  let snapshot: Snapshot | undefined
  const own = {
    ...handlers,
    join(buildId) {
      const messages = handlers.join(buildId)
      state.hasJoined = true
      return messages
    },
    report(report) {
      state.heardAt = performance.now()
      state.isListening = report.isListening
      awaited = report.awaited
      if (report.isListening) start()
    },
    leave(last) {
      snapshot = last
    },
  } satisfies PrimaryCalls
  const send = (message: unknown) => worker.isConnected() && worker.send(message as object)
  const calls: Calls<WorkerCalls> = createCalls<WorkerCalls>({ send, handlers: own })
  worker.on('message', calls.receive)
  // A message to a process that has just ended; its exit follows.
  worker.on('error', () => {})
  worker.on('exit', (code: number | null, signal: NodeJS.Signals | null) => {
    state.hasExited = true
    state.isListening = false
    calls.close()
    end({ code, signal })
    start()
  })
  const kill = (signal: NodeJS.Signals) => {
    worker.process.kill(signal)
  }
  const apply = createApply(async (messages) => {
    try {
      await calls.call('apply', messages, APPLY_LIMIT_MS)
    } catch (error) {
      if (!state.hasExited) {
        log.error({ event: 'worker-killed', worker: worker.id, error }, 'worker did not apply an invalidation')
        kill('SIGKILL')
      }
      await exited
    }
  })
  return {
    id: worker.id,
    startedAt,
    started,
    exited,
    isListening: () => state.isListening,
    hasExited: () => state.hasExited,
    awaited: () => awaited,
    explain: (question) => calls.call('explain', question, EXPLAIN_LIMIT_MS),
    heardAt: () => state.heardAt,
    async apply(message) {
      // A worker that has not joined reads the marks first, and receives what they lack.
      if (state.hasJoined && !state.hasExited) await apply(message)
    },
    async retire() {
      await calls.call('retire', undefined, RETIRE_LIMIT_MS).catch(() => {})
    },
    async refresh() {
      if (!state.hasJoined || state.hasExited) return
      snapshot = await calls.call('snapshot', undefined, SNAPSHOT_LIMIT_MS).catch(() => snapshot)
    },
    snapshot: () => snapshot,
    kill,
  }
}

/**
 * Returns the function that has a worker apply a message. Messages that arrive while the worker applies earlier ones are sent
 * together after those, so that a busy worker has one call to respond to. More than the worker would keep as marks name everything.
 */
function createApply(send: (messages: InvalidationMessage[]) => Promise<void>) {
  let waiting: InvalidationMessage[] = []
  const runs = createSingleRuns(() => {
    const messages = waiting
    waiting = []
    return send(messages)
  })
  return (message: InvalidationMessage): Promise<void> => {
    waiting.push(message)
    if (waiting.length > MAX_MARKS) waiting = everythingOf(waiting)
    return runs.next()
  }
}
