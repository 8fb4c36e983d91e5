// Makes a new variant or renews an old one: fetch, compare, shape. The source and the wait for an encoder have one deadline,
// the encoding a later one (I4, I7).

import { IMAGE_ENCODED_MS, IMAGE_QUEUED_MS } from '@portico/shared/wire/constants.ts'
import type { Purges } from '../cache/purges.ts'
import { failed, type Variant } from '../cache/variant.ts'
import { type FetchedSource, fail, type SourceFetcher } from '../source/fetch-source.ts'
import { createMadeBuilder, type Made, TOO_LATE, type VariantTask } from './made-variant.ts'
import { type ShaperDeps, shapeVariant } from './shape-variant.ts'
import { createSharedWork, type WorkPiece } from './shared-work.ts'

const OVER_TIME = failed(504, TOO_LATE, 'over the total time limit')
const NOT_MODIFIED = fail(502, 'could not be fetched', '304 to a request without validators')

export type VariantMaker = ReturnType<typeof createVariantMaker>

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
