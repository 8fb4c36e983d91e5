// From a request to an outcome, free of HTTP: fresh, old while it is refreshed, made now, something near, or a failure.

import type { Log } from '../shared/node/log.ts'
import { type Budget, createBudget, type VariantStore } from './cache/cache.ts'
import type { MemoryCache } from './cache/cache-memory.ts'
import type { Purges } from './cache/purges.ts'
import type { WorkLock } from './cache/work-lock.ts'
import { type EncodeQueue, QueueFullError, type WorkClass } from './encoding/queue.ts'
import { createFlightShares } from './flight-shares.ts'
import { createFlights, type FlightContext, type JoinOptions } from './flights.ts'
import type { Verdict } from './image-metrics.ts'
import type { Made, VariantTask } from './made-variant.ts'
import { TOTAL_TIMEOUT_MS, type VariantMaker } from './make-variant.ts'
import { originOf } from './params.ts'
import { type FailureStatus, failureKey, type Variant } from './variant.ts'

export type Outcome =
  | {
      kind: 'variant'
      verdict: Verdict
      variant: Variant
      /** Another request's work was shared. */
      collapsed: boolean
      /** Somebody may keep it. */
      stored: boolean
      timings: Made['timings']
    }
  | {
      kind: 'failure'
      status: FailureStatus
      text: string
      /** For the log; undefined when it was remembered. */
      reason?: string
      retryAfterSeconds?: number
      /** A failure may be kept by others for as long as it is remembered here. */
      remainingMs: number
    }

export interface ServeOptions {
  /** Aborts when the visitor leaves or the total time is over; made only when there is work to wait for. */
  createSignal: () => AbortSignal
  class: WorkClass
  /** Keys of wider variants of the same picture, nearest first. */
  widerKeys: () => readonly string[]
}

export interface VariantServer {
  /** Rejects with the signal's reason when the visitor has left; every other fault is an outcome. */
  serve(task: VariantTask, options: ServeOptions): Promise<Outcome>
}

export interface VariantServerDeps {
  memory: MemoryCache
  store: VariantStore
  maker: VariantMaker
  lock: WorkLock
  purges: Purges
  queue: EncodeQueue
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  /** Pieces of work under way at once, those that fetch included; shared by sources (flight-shares.ts). */
  mostFlights: number
}

/** An old variant stands in for a source that is away for this long (I5). */
const KEEP_STALE_MS = 7 * 24 * 60 * 60 * 1000
/** After a refresh that failed or found no place in the queue, the source is left alone for this long. */
const REFRESH_PAUSE_MS = 5000

type Flown = Made & { collapsed: boolean }

/** The one place that knows the order of things. */
export function createVariantServer(deps: VariantServerDeps): VariantServer {
  const { memory, store, maker, lock, purges, queue, log, now, mostFlights } = deps
  const flights = createFlights<Flown>()
  const shares = createFlightShares(mostFlights)
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
    // The source is gone or may not be kept any more: what was kept of it must go too.
    const mustGo = failure?.status === 404 || failure?.status === 410 || made.lifetimeMs === 0
    if (mustGo) memory.drop(task.key)
    // Before the first wait: whoever asks next must find it.
    if (made.lifetimeMs > 0) memory.put(variant, keepMs(variant))
    if (mustGo) await store.delete(task.key)
    if (made.lifetimeMs > 0) await store.set(variant, keepMs(variant))
  }

  const makeAndKeep = async (
    task: VariantTask,
    flight: FlightContext,
    old: Variant | undefined,
    release: () => Promise<void>,
  ): Promise<Flown> => {
    let made: Made
    try {
      made = await maker.make(task, flight, old)
    } catch (error) {
      await release()
      throw error
    }
    // The answer does not wait for the store; those who wait for the lock do.
    void keep(task, made).then(release, (error: unknown) => {
      log.warn({ event: 'cache-write', error }, 'variant not kept')
      return release()
    })
    return { ...made, collapsed: false }
  }

  /** What another replica has made meanwhile. */
  const lookAgain = async (task: VariantTask, budget: Budget): Promise<Flown | undefined> => {
    if (!store.shared) return undefined
    const { found, failure } = await lookUp(task, budget, undefined)
    const variant = found && isFresh(found) ? found : failure
    return variant && { variant, lifetimeMs: keepMs(variant), timings: {}, collapsed: true }
  }

  /** The work itself, done by one replica; others wait for its word and look again. */
  const work = async (task: VariantTask, flight: FlightContext, budget: Budget, old?: Variant): Promise<Flown> => {
    for (;;) {
      // Without budget or Redis the lock is ours: then this replica works for itself.
      const held = await lock.acquire(task.key, budget)
      // Also by the one who holds the lock: another may have stored and let go since this one looked.
      const found = await lookAgain(task, budget)
      if (held.kind === 'mine') {
        if (!found) return makeAndKeep(task, flight, old, held.release)
        await held.release()
        return found
      }
      if (found) return found
      await held.done(flight.signal)
      flight.signal.throwIfAborted()
    }
  }

  const refuse = (workClass: WorkClass, { source }: VariantTask): QueueFullError | undefined => {
    const origin = originOf(source)
    return shares.admits(origin) ? queue.full(workClass, origin) : new QueueFullError(1)
  }

  const fly = (task: VariantTask, options: JoinOptions, budget: Budget, old?: Variant): Promise<Flown> =>
    // Work of before a purge must not answer those who came after it.
    flights.join(`${purges.current()} ${task.key}`, options, async (flight) => {
      const end = shares.begin(originOf(task.source))
      return work(task, flight, budget, old).finally(end)
    })

  const refresh = (task: VariantTask, old: Variant): void => {
    if ((refreshPauses.get(task.key) ?? 0) > now() || flights.has(`${purges.current()} ${task.key}`)) return
    const pause = () => {
      if (refreshPauses.size > 10_000) refreshPauses.clear()
      refreshPauses.set(task.key, now() + REFRESH_PAUSE_MS)
    }
    if (refuse('refresh', task)) {
      pause()
      return
    }
    const signal = AbortSignal.timeout(TOTAL_TIMEOUT_MS)
    fly(task, { signal, class: 'refresh' }, createBudget(), old).then(
      (flown) => {
        if (flown.variant.meta.kind === 'failure') pause()
        else refreshPauses.delete(task.key)
      },
      // A full queue or a time limit: the old variant goes on being served.
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
      if (found && isFresh(found)) return answer('HIT', found)
      let failure = usable(memory.get(failureKey(task.key)))
      if (failure && !isFresh(failure)) failure = undefined
      if ((!found && !failure) || store.shared) {
        const looked = await lookUp(task, budget, found)
        found = looked.found
        failure ??= looked.failure
      }
      if (found && isFresh(found)) return answer('HIT', found)
      if (found) {
        if (!failure) refresh(task, found)
        return answer('STALE', found)
      }
      if (failure) return failed(failure, now())
      const full = flights.has(`${purges.current()} ${task.key}`) ? undefined : refuse(workClass, task)
      if (full) return overloaded(full, widerKeys(), budget)
      try {
        const flown = await fly(task, { signal: createSignal(), class: workClass }, budget)
        const { variant, lifetimeMs, collapsed, timings, reason } = flown
        if (variant.meta.kind === 'failure') return failed(variant, now(), reason)
        return { kind: 'variant', verdict: 'MISS', variant, collapsed, stored: lifetimeMs > 0, timings }
      } catch (error) {
        if (error instanceof QueueFullError) return overloaded(error, widerKeys(), budget)
        throw error
      }
    },
  }
}

function answer(verdict: Verdict, variant: Variant): Outcome {
  return { kind: 'variant', verdict, variant, collapsed: false, stored: true, timings: {} }
}

function failed({ meta }: Variant, now: number, reason?: string): Outcome {
  const { status, text } = meta.failure ?? { status: 502, text: 'The image could not be made.' }
  const remainingMs = Math.max(0, meta.freshUntil - now)
  return { kind: 'failure', status, text, remainingMs, ...(reason === undefined ? {} : { reason }) }
}
