// Decides an image request by what memory, store, purges and queue report: a pure table. serve-variant.ts gathers the
// facts and performs the decision.

import type { PurgeRules } from './cache/purge-rules.ts'
import { endsOlder, type Held, type Variant } from './cache/variant.ts'
import type { QueueFullError, RejectionCause, WorkClass } from './queue/queue.ts'

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

export interface Facts {
  memory: Held
  /** Redis or disk; undefined until the store has been read. */
  store: Held | undefined
  /** Other replicas write to the store too, so the store may be newer than the memory of this replica. */
  isStoreShared: boolean
  purges: Pick<PurgeRules, 'isPurged'>
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

/** The newest variant that no later failure ends, and the fresh failure that no purge covers; the memory wins among equals. */
export function newest({ memory, store, purges, now }: Pick<Facts, 'memory' | 'store' | 'purges' | 'now'>): Held {
  const usable = (held: Variant | undefined) => (held && !purges.isPurged(held.meta) ? held : undefined)
  const [mine, shared] = [usable(memory.variant), usable(store?.variant)]
  const isNewer = shared && (!mine || shared.meta.storedAt > mine.meta.storedAt)
  const variant = isNewer ? shared : mine
  const failure = [memory.failure, store?.failure].find((held) => usable(held) && isFresh(held!, now))
  const isEnded = variant && failure && endsOlder(failure) && failure.meta.storedAt > variant.meta.storedAt
  return { variant: isEnded ? undefined : variant, failure }
}

function isFresh({ meta }: Variant, now: number): boolean {
  return meta.freshUntil > now
}
