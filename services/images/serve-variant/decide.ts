// Decides an image request by what memory, store, purges and queue report: a pure table. serve-variant.ts gathers the facts and
// performs the decision.

import { newest, type Purges } from '../cache/cache.ts'
import type { Capacity } from '../make/make.ts'
import type { RejectionCause, WorkClass } from '../queue/queue.ts'
import { type Held, isFresh, type Variant } from '../variant/variant.ts'

export interface Facts {
  memory: Held
  /** Redis or disk; undefined until the store has been read. */
  store: Held | undefined
  /** Other replicas write to the store too, so the store may be newer than the memory of this replica. */
  isStoreShared: boolean
  purges: Pick<Purges, 'isPurged'>
  /** Milliseconds since the epoch. */
  now: number
  workClass: WorkClass
  /** A function, because a hit must not pay for the count of all running work. */
  capacity: (workClass: WorkClass) => Capacity
  /** The nearest wider variant that is cached and not purged; undefined until the caches have been searched. */
  wider: Pick<Held, 'variant'> | undefined
}

type Decision =
  /** A fact is missing: read it, then decide again. */
  | { kind: 'read'; from: 'store' | 'wider' }
  | { kind: 'serve'; verdict: 'HIT' | 'STALE'; variant: Variant; pausesRefresh?: true }
  | { kind: 'serve'; verdict: 'FALLBACK'; variant: Variant; rejection: RejectionCause }
  /** Serve the stale variant, and refresh the variant behind the response. */
  | { kind: 'refresh'; variant: Variant }
  /** `begins`: no other request has begun this work. */
  | { kind: 'make'; begins: boolean }
  | { kind: 'refuse'; reason: 'failure'; failure: Variant }
  | { kind: 'refuse'; reason: 'full'; retryAfterSeconds: number; rejection: RejectionCause }

/** First match wins. */
export function decide(facts: Facts): Decision {
  const { store, isStoreShared, now, wider } = facts
  const { variant, failure } = newest(facts)
  if (variant && isFresh(variant, now)) return { kind: 'serve', verdict: 'HIT', variant }
  if (!store && (isStoreShared || !(variant || failure))) return { kind: 'read', from: 'store' }
  // I5: an old variant is better than a failure of its source.
  if (variant && failure) return { kind: 'serve', verdict: 'STALE', variant }
  if (variant) return decideRefresh(variant, facts.capacity('refresh'))
  if (failure) return { kind: 'refuse', reason: 'failure', failure }
  const capacity = facts.capacity(facts.workClass)
  if (capacity.kind !== 'full') return { kind: 'make', begins: capacity.kind !== 'running' }
  if (!wider) return { kind: 'read', from: 'wider' }
  const { rejection, retryAfterSeconds } = capacity
  if (wider.variant) return { kind: 'serve', verdict: 'FALLBACK', variant: wider.variant, rejection }
  return { kind: 'refuse', reason: 'full', retryAfterSeconds, rejection }
}

function decideRefresh(variant: Variant, capacity: Capacity): Decision {
  if (capacity.kind === 'free') return { kind: 'refresh', variant }
  const stale = { kind: 'serve', verdict: 'STALE', variant } as const
  return capacity.kind === 'full' ? { ...stale, pausesRefresh: true } : stale
}
