// Serves a variant, without HTTP: gathers what memory, store, purges and queue report, performs what the table in
// decide.ts decides, and returns the outcome. Rejects only when the client has closed the connection or the total
// deadline has passed. The work is left to make/, the response to send/.

import { retryAfterOf } from '@portico/shared/kit/limits/client-limit.ts'
import { createBudget, type VariantCache } from '../cache/cache.ts'
import { capacityOf, type SharedMade, type VariantTask, type VariantWork } from '../make/make.ts'
import type { Verdict } from '../metrics.ts'
import { QueueFullError, type RejectionCause, type WorkClass } from '../queue/queue.ts'
import type { FailureStatus, Variant } from '../variant/variant.ts'
import { decide, type Facts } from './decide.ts'

export type Outcome =
  | { kind: 'variant'; verdict: Verdict; variant: Variant; made?: SharedMade; rejection?: RejectionCause }
  | {
      kind: 'failure'
      status: FailureStatus | 429
      text: string
      /** For the log; undefined for a cached failure. */
      reason?: string | undefined
      retryAfterSeconds?: number
      /** Why work was rejected; a variant with one is a fallback. */
      rejection?: RejectionCause
      /** Shared caches may store a failure for as long as this service caches the failure. */
      remainingMs: number
    }

interface ServeOptions {
  /** Aborts when the client closes the connection or at the total deadline; called only when the request must wait. */
  createSignal: () => AbortSignal
  class: WorkClass
  /** Counts work that begins for the client: 0, or the milliseconds until it may have the next image made. */
  takeTurn?: (() => Promise<number>) | undefined
  /** Keys of wider variants of the same image, nearest first. */
  widerKeys: () => readonly string[]
}

export type VariantServer = ReturnType<typeof createVariantServer>

/** The only place that performs the decisions of decide.ts. `now` is milliseconds since the epoch. */
export function createVariantServer(
  cache: VariantCache,
  work: VariantWork,
  purges: Facts['purges'],
  now: () => number,
) {
  return {
    /** Rejects with the signal's reason when the client has closed the connection; every other fault is an outcome. */
    async serve(
      task: VariantTask,
      { createSignal, class: workClass, takeTurn, widerKeys }: ServeOptions,
    ): Promise<Outcome> {
      const budget = createBudget()
      const facts: Facts = {
        memory: cache.fromMemory(task.key),
        store: undefined,
        isStoreShared: cache.isShared,
        purges,
        now: now(),
        workClass,
        capacity: (forClass) => work.capacity(task, forClass),
        wider: undefined,
      }
      for (;;) {
        const decision = decide(facts)
        switch (decision.kind) {
          case 'read':
            if (decision.from === 'store') facts.store = await cache.fromStore(task.key, facts.memory, budget)
            else facts.wider = { variant: await cache.first(widerKeys(), budget) }
            break
          case 'serve':
            if (decision.verdict === 'FALLBACK') return { ...decision, kind: 'variant' }
            if (decision.pausesRefresh) work.pauseRefresh(task)
            return { kind: 'variant', verdict: decision.verdict, variant: decision.variant }
          case 'refresh':
            work.refresh(task, decision.variant)
            return { kind: 'variant', verdict: 'STALE', variant: decision.variant }
          case 'refuse':
            return decision.reason === 'failure' ? failureOf(decision.failure, now()) : busy(decision)
          case 'make':
            try {
              const waitMs = decision.begins ? await takeTurn?.() : 0
              // Another request of the client may have begun the work meanwhile.
              if (waitMs && work.capacity(task, workClass).kind !== 'running')
                throw new QueueFullError(retryAfterOf(waitMs), 'client-limit')
              const made = await work.make(task, { signal: createSignal(), class: workClass }, budget)
              if (made.variant.meta.kind === 'failure') return failureOf(made.variant, now(), made.reason)
              return { kind: 'variant', verdict: 'MISS', variant: made.variant, made }
            } catch (error) {
              if (!(error instanceof QueueFullError)) throw error
              facts.capacity = () => capacityOf(error)
            }
            break
          default:
            return decision satisfies never
        }
        facts.now = now()
      }
    },
  }
}

function failureOf({ meta }: Variant, now: number, reason?: string): Outcome {
  const { status, text } = meta.failure ?? { status: 502, text: 'The image could not be made.' }
  return { kind: 'failure', status, text, reason, remainingMs: Math.max(0, meta.freshUntil - now) }
}

function busy({ retryAfterSeconds, rejection }: { retryAfterSeconds: number; rejection: RejectionCause }): Outcome {
  if (rejection === 'client-limit') {
    const text = 'Too many requests; try again later.'
    const reason = 'too many images made for one client'
    return { kind: 'failure', status: 429, text, retryAfterSeconds, remainingMs: 0, reason, rejection }
  }
  const text = 'The image service is busy.'
  const reason = 'the queue is full'
  return { kind: 'failure', status: 503, text, retryAfterSeconds, remainingMs: 0, reason, rejection }
}
