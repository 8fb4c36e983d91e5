// Makes a new variant or renews an old one: fetch, compare, shape, all under one deadline (I4).

import type { Purges } from '../cache/purges.ts'
import { failed, type Variant } from '../cache/variant.ts'
import { type FetchedSource, fail, type SourceFetcher } from '../source/fetch-source.ts'
import { createMadeBuilder, type Made, TOO_LATE, type VariantTask } from './made-variant.ts'
import { type ShaperDeps, shapeVariant } from './shape-variant.ts'
import { createSharedWork, type WorkPiece } from './shared-work.ts'

/** The deadline for all phases of a request, and also the longest time of an encoder for one variant (I4). */
export const TOTAL_TIMEOUT_MS = 8000

const OVER_TIME = failed(504, TOO_LATE, 'over the total time limit')
const NOT_MODIFIED = fail(502, 'could not be fetched', '304 to a request without validators')

export type VariantMaker = ReturnType<typeof createVariantMaker>

interface VariantMakerDeps extends ShaperDeps {
  fetcher: SourceFetcher
  purges: Purges
  /** Milliseconds since the epoch. */
  now: () => number
  /** 0 to 1; spreads lifetimes. */
  random: () => number
  totalTimeoutMs?: number
}

/** All sizes of one image share one fetch of the source. */
export function createVariantMaker(deps: VariantMakerDeps) {
  const { fetcher, purges, metrics, totalTimeoutMs = TOTAL_TIMEOUT_MS } = deps
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
      const deadline = AbortSignal.timeout(totalTimeoutMs)
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
        const shaped = await shapeVariant(deps, { task, piece, fetched, meta, encodeMs: totalTimeoutMs })
        if (shaped.kind === 'failed') return build.fail(task, generation, shaped)
        return { ...shaped, timings: { fetch: fetchMs, ...shaped.timings } }
      } catch (error) {
        if (!deadline.aborted) throw error
        return build.fail(task, generation, OVER_TIME)
      }
    },
  }
}
