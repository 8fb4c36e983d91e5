// Makes one variant from nothing, or renews an old one: fetch, compare, shape, all under one deadline (I4).

import type { Purges } from './cache/purges.ts'
import { createFlights, type FlightContext } from './flights.ts'
import { createMadeBuilder, type Made, type VariantTask } from './made-variant.ts'
import { type ShaperDeps, shapeVariant } from './shape-variant.ts'
import type { FetchedSource, SourceFetcher } from './source/fetch-source.ts'
import type { Variant } from './variant.ts'

/** One deadline over all phases of a request, and the longest that an encoder works for a variant (I4). */
export const TOTAL_TIMEOUT_MS = 8000

export interface VariantMaker {
  /**
   * `old` is asked again by its validators and kept when the source did not change. Rejects when the queue is full
   * and when the flight ends; whatever the source does is a result.
   */
  make(task: VariantTask, flight: FlightContext, old?: Variant): Promise<Made>
}

export interface VariantMakerDeps extends ShaperDeps {
  fetcher: SourceFetcher
  purges: Purges
  /** Milliseconds since the epoch. */
  now: () => number
  /** 0 to 1; spreads lifetimes. */
  random: () => number
  totalTimeoutMs?: number
}

/** Source fetches under way are shared by all sizes of one picture. */
export function createVariantMaker(deps: VariantMakerDeps): VariantMaker {
  const { fetcher, purges, metrics, totalTimeoutMs = TOTAL_TIMEOUT_MS } = deps
  const build = createMadeBuilder(deps.settings, deps.now, deps.random)
  const fetches = createFlights<FetchedSource>()

  const fetchSource = (task: VariantTask, flight: FlightContext, generation: number, old: Variant | undefined) => {
    const validators = old?.meta.validators ?? {}
    const key = JSON.stringify([task.source.url, generation, validators.etag, validators.modified])
    const { signal, urgency } = flight
    return fetches.join(key, { signal, class: urgency.class }, (shared) =>
      fetcher.fetch(task.source, { validators, signal: shared.signal, requestId: task.requestId }),
    )
  }

  return {
    async make(task, { urgency, signal: flightSignal, commit }, old) {
      const generation = purges.current()
      const started = performance.now()
      const deadline = AbortSignal.timeout(totalTimeoutMs)
      const flight = { urgency, commit, signal: AbortSignal.any([flightSignal, deadline]) }
      try {
        const fetched = await fetchSource(task, flight, generation, old)
        const fetchMs = performance.now() - started
        metrics.phase('fetch', fetchMs)
        if (fetched.kind === 'failed') return build.fail(task, generation, fetched)
        if (old && (fetched.kind === 'not-modified' || fetched.validators.hash === old.meta.validators.hash))
          return build.renew(old, generation, fetched.lifetimeSeconds, fetched.tags)
        if (fetched.kind === 'not-modified') {
          const text = 'The source of the image could not be fetched.'
          return build.fail(task, generation, { status: 502, text, reason: '304 to a question without validators' })
        }
        const meta = build.start(task, generation, fetched.lifetimeSeconds, fetched.tags)
        const shaped = await shapeVariant(deps, { task, flight, fetched, meta, encodeMs: totalTimeoutMs })
        if (shaped.kind === 'failing') return build.fail(task, generation, shaped)
        return { ...shaped, timings: { fetch: fetchMs, ...shaped.timings } }
      } catch (error) {
        if (!deadline.aborted) throw error
        const text = 'The image took too long to make.'
        return build.fail(task, generation, { status: 504, text, reason: 'over the total time limit' })
      }
    },
  }
}
