// The work on variants: fetches the source, compares, and makes a new variant or renews the old one. Once at a time in
// this replica (shared-work.ts) and among the replicas (the lock of the cache), within the shares of the sources (I6,
// I7). The source and the wait for an encoder have one deadline, the encoding a later one (I4). Every fault of a source
// is a result. Whether work begins for a request is left to serve-variant/.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { IMAGE_ENCODED_MS, IMAGE_QUEUED_MS, IMAGE_RESPONSE_MS } from '@portico/shared/wire/constants.ts'
import { LRUCache } from 'lru-cache'
import { type Budget, createBudget, newest, type Purges, type VariantCache, type WorkLock } from '../cache/cache.ts'
import {
  createWorkShares,
  type EncodeQueue,
  QueueFullError,
  type RejectionCause,
  type WorkClass,
} from '../queue/queue.ts'
import { type FetchedSource, fail, originOf, type SourceFetcher } from '../source/source.ts'
import { failed, type Variant } from '../variant/variant.ts'
import { createMadeBuilder, type Made, TOO_LATE, type VariantTask } from './made-variant.ts'
import { type ShaperDeps, shapeVariant } from './shape-variant.ts'
import { createSharedWork, type JoinOptions, type WorkPiece } from './shared-work.ts'

export { TOO_LATE, type VariantTask } from './made-variant.ts'

/** Whether work on a variant may begin now. */
export type Capacity =
  | { kind: 'free' }
  /** The work has begun already: further requests join the work without another place. */
  | { kind: 'running' }
  /** Only for a refresh: the last refresh failed a moment ago. */
  | { kind: 'paused' }
  | { kind: 'full'; retryAfterSeconds: number; rejection: RejectionCause }

/** The capacity that an error of the queue reports. */
export function capacityOf({ retryAfterSeconds, rejection }: QueueFullError): Capacity {
  return { kind: 'full', retryAfterSeconds, rejection }
}

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
  /** Limit of running pieces of work, fetches included; sources share these places. */
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

const OVER_TIME = failed(504, TOO_LATE, 'over the total time limit')
const NOT_MODIFIED = fail(502, 'could not be fetched', '304 to a request without validators')

type VariantMaker = ReturnType<typeof createVariantMaker>

/** Milliseconds from the beginning of the work. */
export interface VariantTimes {
  queuedMs?: number
  encodedMs?: number
}

interface VariantMakerDeps extends ShaperDeps, VariantTimes {
  fetcher: SourceFetcher
  purges: Purges
  /** Milliseconds since the epoch. */
  now: () => number
  /** 0 to 1; spreads lifetimes. */
  random: () => number
}

/** All sizes of one image share one fetch of the source. */
export function createVariantMaker(deps: VariantMakerDeps) {
  const { fetcher, purges, metrics, queuedMs = IMAGE_QUEUED_MS, encodedMs = IMAGE_ENCODED_MS } = deps
  const build = createMadeBuilder(deps.settings, deps.now, deps.random)
  const fetches = createSharedWork<FetchedSource>()

  const fetchSource = (task: VariantTask, piece: WorkPiece, generation: number, old: Variant | undefined) => {
    const validators = old?.meta.validators ?? {}
    const key = JSON.stringify([task.source.url, generation, validators.etag, validators.modified])
    const { signal, urgency } = piece
    return fetches.join(key, { signal, class: urgency.class }, (shared) =>
      fetcher.fetch(task.source, { validators, signal: shared.signal, requestId: task.requestId }),
    )
  }

  return {
    /**
     * With `old` the source is requested conditionally, and `old` is renewed when the source has not changed. Rejects
     * when the queue is full and when the piece of work is aborted; every fault of the source is a result.
     */
    async make(task: VariantTask, shared: WorkPiece, old?: Variant): Promise<Made> {
      const generation = purges.current()
      const started = performance.now()
      const deadline = AbortSignal.timeout(queuedMs)
      const { urgency, commit } = shared
      const piece = { urgency, commit, signal: AbortSignal.any([shared.signal, deadline]) }
      try {
        const fetched = await fetchSource(task, piece, generation, old)
        const fetchMs = performance.now() - started
        metrics.phase('fetch', fetchMs)
        if (fetched.kind === 'failed') return build.fail(task, generation, fetched)
        if (old && (fetched.kind === 'not-modified' || fetched.validators.hash === old.meta.validators.hash))
          return build.renew(old, generation, fetched.lifetimeSeconds, fetched.tags)
        if (fetched.kind === 'not-modified') return build.fail(task, generation, NOT_MODIFIED)
        const meta = build.start(task, generation, fetched.lifetimeSeconds, fetched.tags)
        const shaped = await shapeVariant(deps, { task, piece, fetched, meta, endsAt: started + encodedMs })
        if (shaped.kind === 'failed') return build.fail(task, generation, shaped)
        return { ...shaped, timings: { fetch: fetchMs, ...shaped.timings } }
      } catch (error) {
        if (!deadline.aborted) throw error
        return build.fail(task, generation, OVER_TIME)
      }
    },
  }
}
