// Decides the outcome of a request, without HTTP: a fresh variant, a stale variant during a refresh, a new variant, a
// wider variant, or a failure.

import type { Log } from '../shared/node/log.ts'
import type { MemoryStore } from './cache/memory-store.ts'
import type { Purges } from './cache/purges.ts'
import { type FailureStatus, failureKey, type Variant } from './cache/variant.ts'
import { type Budget, createBudget, type VariantStore } from './cache/variant-store.ts'
import type { WorkLock } from './cache/work-lock.ts'
import type { Made, VariantTask } from './make/made-variant.ts'
import { TOTAL_TIMEOUT_MS, type VariantMaker } from './make/make-variant.ts'
import { createSharedWork, type JoinOptions, type WorkPiece } from './make/shared-work.ts'
import type { Verdict } from './metrics.ts'
import { type EncodeQueue, QueueFullError, type WorkClass } from './queue/queue.ts'
import { createWorkShares } from './queue/work-shares.ts'
import { originOf } from './request/params.ts'

export type Outcome =
  | {
      kind: 'variant'
      verdict: Verdict
      variant: Variant
      /** The request shared the work of another request. */
      collapsed: boolean
      /** Caches may store the variant. */
      stored: boolean
      timings: Made['timings']
    }
  | {
      kind: 'failure'
      status: FailureStatus
      text: string
      /** For the log; undefined for a cached failure. */
      reason?: string
      retryAfterSeconds?: number
      /** Shared caches may store a failure for as long as this service caches the failure. */
      remainingMs: number
    }

export interface ServeOptions {
  /** Aborts when the client closes the connection or at the total deadline; called only when the request must wait. */
  createSignal: () => AbortSignal
  class: WorkClass
  /** Keys of wider variants of the same image, nearest first. */
  widerKeys: () => readonly string[]
}

export interface VariantServer {
  /** Rejects with the signal's reason when the client has closed the connection; every other fault is an outcome. */
  serve(task: VariantTask, options: ServeOptions): Promise<Outcome>
}

export interface VariantServerDeps {
  memory: MemoryStore
  store: VariantStore
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

/** While a source is unavailable its old variants are served for this long (I5). */
const KEEP_STALE_MS = 7 * 24 * 60 * 60 * 1000
/** Pause after a refresh that failed or found the queue full. */
const REFRESH_PAUSE_MS = 5000

type SharedResult = Made & { collapsed: boolean }

/** The only function that knows the order of memory, store, work and failure. */
export function createVariantServer(deps: VariantServerDeps): VariantServer {
  const { memory, store, maker, lock, purges, queue, log, now, mostWork } = deps
  const sharedWork = createSharedWork<SharedResult>()
  const shares = createWorkShares(mostWork)
  const refreshPauses = new Map<string, number>()

  const usable = (variant: Variant | undefined) => (variant && !purges.isPurged(variant.meta) ? variant : undefined)
  const isFresh = (variant: Variant) => variant.meta.freshUntil > now()
  const keepMs = (variant: Variant) =>
    variant.meta.freshUntil - now() + (variant.meta.kind === 'failure' ? 0 : KEEP_STALE_MS)

  const lookUp = async (
    task: VariantTask,
    budget: Budget,
    known: Variant | undefined,
  ): Promise<{ found?: Variant; failure?: Variant }> => {
    const [found, failure] = (await store.getMany([task.key, failureKey(task.key)], budget)).map(usable)
    if (found && found.meta.storedAt > (known?.meta.storedAt ?? 0)) memory.put(found, keepMs(found))
    if (failure && isFresh(failure)) memory.put(failure, keepMs(failure))
    const newest = found && found.meta.storedAt > (known?.meta.storedAt ?? 0) ? found : known
    return { ...(newest ? { found: newest } : {}), ...(failure && isFresh(failure) ? { failure } : {}) }
  }

  const keep = async (task: VariantTask, made: Made): Promise<void> => {
    const { variant } = made
    const { failure } = variant.meta
    // The source does not exist or may not be stored any more: older variants of the source must be deleted too.
    const mustDelete = failure?.status === 404 || failure?.status === 410 || made.lifetimeMs === 0
    if (mustDelete) memory.drop(task.key)
    // Before the first await: the next request must find the variant.
    if (made.lifetimeMs > 0) memory.put(variant, keepMs(variant))
    if (mustDelete) await store.delete(task.key)
    if (made.lifetimeMs > 0) await store.set(variant, keepMs(variant))
  }

  const makeAndKeep = async (
    task: VariantTask,
    piece: WorkPiece,
    old: Variant | undefined,
    release: () => Promise<void>,
  ): Promise<SharedResult> => {
    let made: Made
    try {
      made = await maker.make(task, piece, old)
    } catch (error) {
      await release()
      throw error
    }
    // The response does not wait for the store; replicas that wait for the lock do.
    void keep(task, made).then(release, (error: unknown) => {
      log.warn({ event: 'cache-write', error }, 'variant not kept')
      return release()
    })
    return { ...made, collapsed: false }
  }

  /** Returns the variant if another replica has made the variant meanwhile. */
  const lookAgain = async (task: VariantTask, budget: Budget): Promise<SharedResult | undefined> => {
    if (!store.shared) return undefined
    const { found, failure } = await lookUp(task, budget, undefined)
    const variant = found && isFresh(found) ? found : failure
    return variant && { variant, lifetimeMs: keepMs(variant), timings: {}, collapsed: true }
  }

  /** One replica does the work; the others wait for the notification of that replica and look again. */
  const work = async (task: VariantTask, piece: WorkPiece, budget: Budget, old?: Variant): Promise<SharedResult> => {
    for (;;) {
      // Without budget or Redis the result is `mine`: each replica then does the work for itself.
      const held = await lock.acquire(task.key, budget)
      // The holder looks too: another replica may have stored a variant and released the lock since the last look.
      const found = await lookAgain(task, budget)
      if (held.kind === 'mine') {
        if (!found) return makeAndKeep(task, piece, old, held.release)
        await held.release()
        return found
      }
      if (found) return found
      await held.done(piece.signal)
      piece.signal.throwIfAborted()
    }
  }

  const refuse = (workClass: WorkClass, { source }: VariantTask): QueueFullError | undefined => {
    const origin = originOf(source)
    return shares.admits(origin) ? queue.full(workClass, origin) : new QueueFullError(1)
  }

  const joinWork = (task: VariantTask, options: JoinOptions, budget: Budget, old?: Variant): Promise<SharedResult> =>
    // A request after a purge must not get the result of work that began before the purge.
    sharedWork.join(`${purges.current()} ${task.key}`, options, async (piece) => {
      const end = shares.begin(originOf(task.source))
      return work(task, piece, budget, old).finally(end)
    })

  const refresh = (task: VariantTask, old: Variant): void => {
    if ((refreshPauses.get(task.key) ?? 0) > now() || sharedWork.has(`${purges.current()} ${task.key}`)) return
    const pause = () => {
      if (refreshPauses.size > 10_000) refreshPauses.clear()
      refreshPauses.set(task.key, now() + REFRESH_PAUSE_MS)
    }
    if (refuse('refresh', task)) {
      pause()
      return
    }
    const signal = AbortSignal.timeout(TOTAL_TIMEOUT_MS)
    joinWork(task, { signal, class: 'refresh' }, createBudget(), old).then(
      (result) => {
        if (result.variant.meta.kind === 'failure') pause()
        else refreshPauses.delete(task.key)
      },
      // The queue is full or the deadline has passed: the old variant remains in use.
      pause,
    )
  }

  const nearest = async (keys: readonly string[], budget: Budget): Promise<Variant | undefined> => {
    for (const key of keys) {
      const variant = usable(memory.get(key))
      if (variant) return variant
    }
    return (await store.getMany(keys.slice(0, 3), budget)).map(usable).find(Boolean)
  }

  const overloaded = async (full: QueueFullError, wider: readonly string[], budget: Budget): Promise<Outcome> => {
    const variant = wider.length > 0 ? await nearest(wider, budget) : undefined
    if (variant) return { kind: 'variant', verdict: 'FALLBACK', variant, collapsed: false, stored: false, timings: {} }
    const { retryAfterSeconds } = full
    return {
      kind: 'failure',
      status: 503,
      text: 'The image service is busy.',
      retryAfterSeconds,
      remainingMs: 0,
      reason: 'the queue is full',
    }
  }

  return {
    async serve(task, { createSignal, class: workClass, widerKeys }) {
      const budget = createBudget()
      let found = usable(memory.get(task.key))
      if (found && isFresh(found)) return cached('HIT', found)
      let failure = usable(memory.get(failureKey(task.key)))
      if (failure && !isFresh(failure)) failure = undefined
      if ((!found && !failure) || store.shared) {
        const looked = await lookUp(task, budget, found)
        found = looked.found
        failure ??= looked.failure
      }
      if (found && isFresh(found)) return cached('HIT', found)
      if (found) {
        if (!failure) refresh(task, found)
        return cached('STALE', found)
      }
      if (failure) return failureOf(failure, now())
      const full = sharedWork.has(`${purges.current()} ${task.key}`) ? undefined : refuse(workClass, task)
      if (full) return overloaded(full, widerKeys(), budget)
      try {
        const result = await joinWork(task, { signal: createSignal(), class: workClass }, budget)
        const { variant, lifetimeMs, collapsed, timings, reason } = result
        if (variant.meta.kind === 'failure') return failureOf(variant, now(), reason)
        return { kind: 'variant', verdict: 'MISS', variant, collapsed, stored: lifetimeMs > 0, timings }
      } catch (error) {
        if (error instanceof QueueFullError) return overloaded(error, widerKeys(), budget)
        throw error
      }
    },
  }
}

function cached(verdict: Verdict, variant: Variant): Outcome {
  return { kind: 'variant', verdict, variant, collapsed: false, stored: true, timings: {} }
}

function failureOf({ meta }: Variant, now: number, reason?: string): Outcome {
  const { status, text } = meta.failure ?? { status: 502, text: 'The image could not be made.' }
  const remainingMs = Math.max(0, meta.freshUntil - now)
  return { kind: 'failure', status, text, remainingMs, ...(reason === undefined ? {} : { reason }) }
}
