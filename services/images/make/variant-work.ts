// The work on variants: once at a time in this replica (shared-work.ts) and among the replicas (work-lock.ts), within
// the shares of the sources (I6, I7).

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { IMAGE_RESPONSE_MS } from '@portico/shared/wire/constants.ts'
import { LRUCache } from 'lru-cache'
import type { Purges } from '../cache/purges.ts'
import type { Variant } from '../cache/variant.ts'
import type { VariantCache } from '../cache/variant-cache.ts'
import { type Budget, createBudget } from '../cache/variant-store.ts'
import type { WorkLock } from '../cache/work-lock.ts'
import { type Capacity, capacityOf, newest } from '../decide.ts'
import { type EncodeQueue, QueueFullError, type WorkClass } from '../queue/queue.ts'
import { createWorkShares } from '../queue/work-shares.ts'
import { originOf } from '../source/patterns.ts'
import type { Made, VariantTask } from './made-variant.ts'
import type { VariantMaker } from './make-variant.ts'
import { createSharedWork, type JoinOptions, type WorkPiece } from './shared-work.ts'

/** `collapsed`: the work of another replica. */
export type SharedMade = Made & { collapsed: boolean }

export type VariantWork = ReturnType<typeof createVariantWork>

interface VariantWorkDeps {
  cache: VariantCache
  maker: VariantMaker
  lock: WorkLock
  purges: Purges
  queue: EncodeQueue
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  /** Limit of running pieces of work, fetches included; sources share these places (work-shares.ts). */
  mostWork: number
}

/** Pause after a refresh that failed or found the queue full. */
const REFRESH_PAUSE_MS = 5000

/** Begins without work. */
export function createVariantWork(deps: VariantWorkDeps) {
  const { purges, queue, now, mostWork } = deps
  const running = createSharedWork<SharedMade>()
  const shares = createWorkShares(mostWork)
  const pausedUntil = new LRUCache<string, number>({ max: 10_000 })
  // A request after a purge must not get the result of work that began before the purge.
  const nameOf = (task: VariantTask) => `${purges.current()} ${task.key}`

  /** Begins the work or joins it. Rejects with QueueFullError, or with the signal's reason when the signal aborts. */
  const make = (task: VariantTask, options: JoinOptions, budget: Budget, old?: Variant) =>
    running.join(nameOf(task), options, (piece) => {
      const end = shares.begin(originOf(task.source))
      return makeOnce(deps, { task, piece, old, budget }).finally(end)
    })
  const pauseRefresh = (task: VariantTask) => void pausedUntil.set(task.key, now() + REFRESH_PAUSE_MS)

  return {
    capacity(task: VariantTask, workClass: WorkClass): Capacity {
      if (workClass === 'refresh' && (pausedUntil.get(task.key) ?? 0) > now()) return { kind: 'paused' }
      if (running.has(nameOf(task))) return { kind: 'running' }
      const origin = originOf(task.source)
      const full = shares.admits(origin) ? queue.full(workClass, origin) : new QueueFullError(1, 'source-share')
      return full ? capacityOf(full) : { kind: 'free' }
    },
    make,
    /** Begins to refresh `old`; a failure pauses the refreshes of this variant. */
    refresh(task: VariantTask, old: Variant): void {
      const options = { signal: AbortSignal.timeout(IMAGE_RESPONSE_MS), class: 'refresh' } as const
      make(task, options, createBudget(), old).then(
        ({ variant }) => {
          if (variant.meta.kind === 'failure') pauseRefresh(task)
        },
        // The queue is full or the deadline has passed: the old variant remains in use.
        () => pauseRefresh(task),
      )
    },
    pauseRefresh,
  }
}

interface WorkInput {
  task: VariantTask
  piece: WorkPiece
  old: Variant | undefined
  budget: Budget
}

/** One replica does the work; the others wait for the notification of that replica and look again. */
async function makeOnce(deps: VariantWorkDeps, input: WorkInput): Promise<SharedMade> {
  const { task, piece, budget } = input
  for (;;) {
    // Without budget or Redis the result is `mine`: each replica then does the work for itself.
    const held = await deps.lock.acquire(task.key, budget)
    // The holder looks too: another replica may have stored a variant and released the lock since the last look.
    const found = await findMade(deps, task, budget)
    if (held.kind === 'mine') {
      if (!found) return makeAndKeep(deps, input, held.release)
      await held.release()
      return found
    }
    if (found) return found
    await held.done(piece.signal)
    piece.signal.throwIfAborted()
  }
}

/** The variant, if another replica has made it since the lookup. */
async function findMade(
  { cache, purges, now }: VariantWorkDeps,
  task: VariantTask,
  budget: Budget,
): Promise<SharedMade | undefined> {
  if (!cache.isShared) return undefined
  const memory = { variant: undefined, failure: undefined }
  const store = await cache.fromStore(task.key, memory, budget)
  const { variant, failure } = newest({ memory, store, purges, now: now() })
  const found = variant && variant.meta.freshUntil > now() ? variant : failure
  return found && { variant: found, isStorable: true, timings: {}, collapsed: true }
}

async function makeAndKeep(
  { maker, cache, log }: VariantWorkDeps,
  { task, piece, old }: WorkInput,
  release: () => Promise<void>,
): Promise<SharedMade> {
  let made: Made
  try {
    made = await maker.make(task, piece, old)
  } catch (error) {
    await release()
    throw error
  }
  // The response does not wait for the store; replicas that wait for the lock do.
  void cache
    .keep(task.key, made)
    .catch((error: unknown) => log.warn({ event: 'cache-write', error }, 'variant not kept'))
    .then(release)
  return { ...made, collapsed: false }
}
