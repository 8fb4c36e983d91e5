// What the page cache does with a request: one table over what the gateway knows (C1, C4, C5). Pure.

/** An entry that was revalidated is `none`. `old`: stale for so long that it is not sent any more. */
export type EntryState = 'none' | 'fresh' | 'stale' | 'old'

interface Situation {
  entry: EntryState
  /** Whether the last read of the marks is recent enough (C5). */
  isTrusted: boolean
  /** Whether a renderer of this build is ready. */
  hasHome: boolean
  /** The fill of this key. `paused`: the last one failed a moment ago. */
  fill: 'idle' | 'running' | 'paused'
}

/**
 * `refresh`: send the entry as stale and fill behind it. `fill`: wait for a fill. `ask`: wait for the home, which knows
 * whether the entry is current. `confirm`: there is no home; read the marks and decide again. `failed`: what the last fill had as its result. `pass`: to any renderer, uncached.
 */
export type Decision = 'hit' | 'stale' | 'refresh' | 'fill' | 'ask' | 'confirm' | 'failed' | 'pass'

/** What the client sees of a response with an entry (C6). */
export type Verdict = 'HIT' | 'STALE' | 'MISS'

export function decide({ entry, isTrusted, hasHome, fill }: Situation): Decision {
  if (isTrusted && entry === 'fresh') return 'hit'
  if (isTrusted && entry === 'stale') return hasHome && fill === 'idle' ? 'refresh' : 'stale'
  // C4: a process that was busy or paused for longer than its trust lasts still has pages while the store responds.
  if (!hasHome && !isTrusted && (entry === 'fresh' || entry === 'stale')) return 'confirm'
  // A renderer of another build follows the marks, too, and serves its own page (C3); without one the proxy responds.
  if (!hasHome) return 'pass'
  if (fill === 'paused') return 'failed'
  return isTrusted ? 'fill' : 'ask'
}

/** A stale entry is sent for this long after it became stale (C4). */
export const STALE_LIMIT_MS = 24 * 60 * 60 * 1000

/** `freshMs` is null for an entry that never becomes stale by age. */
export function ageState(ageMs: number, freshMs: number | null): Exclude<EntryState, 'none'> {
  if (freshMs === null || ageMs <= freshMs) return 'fresh'
  return ageMs <= freshMs + STALE_LIMIT_MS ? 'stale' : 'old'
}
