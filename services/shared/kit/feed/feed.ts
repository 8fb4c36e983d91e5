// The invalidation feed of one process that keeps tagged data (C5): reads the state store several times a second, and
// takes messages that arrive sooner.

import { type FeedPosition, type InvalidationMessage, PROCESS_LIMIT_MS, TRUSTED_MS } from '../../wire/invalidation.ts'
import type { Log } from '../observe/log.ts'
import { type FollowEvent, type FollowState, follow, NOT_READ } from './follow.ts'
import type { GenerationReader } from './generations.ts'
import { type AsOf, createKnownMarks } from './marks.ts'
import { createSingleRuns } from './single-runs.ts'

export type { AsOf }

/** Milliseconds between two reads of the state store: two may fail within TRUSTED_MS. */
const READ_MS = 150

export interface Feed {
  /** Taken before data is read. */
  asOf(): AsOf
  /** Whether no change since `asOf` names the path (as `pagePath` writes it), one of the tags or everything. */
  isCurrent(asOf: AsOf, path: string, tags: readonly string[]): boolean
  /** Takes a message of the inner port or the channel. */
  apply(message: InvalidationMessage): void
  /** What this process knows, for `confirm` of another process; taken before a request is sent. */
  position(): FeedPosition
  /**
   * Whether kept data may be used without a request or a read (C5). Compares the clock at each call: a process that was
   * paused is not confirmed.
   */
  isConfirmed(): boolean
  /** How often the state store lost marks, so that everything kept was out of date. */
  marksLost(): number
  /** Changes with every mark: data that was current at one revision is current while the revision is the same. */
  revision(): number
  /** What is known before kept data is used; reads the store where that may help. */
  confirm(needed?: FeedPosition): Promise<Confirmation>
  close(): void
}

/**
 * `confirmed`: the last successful read of the store began within the last TRUSTED_MS. `away`: the store does not respond, so
 * that only messages have marked what is out of date. `behind`: the marks of the needed position are not known.
 */
export type Confirmation = 'confirmed' | 'away' | 'behind'

interface FeedDeps {
  /** Without one, only messages arrive, as under development. */
  reader?: GenerationReader
  log: Log
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Reads in the background; does not throw or wait while the state store is unavailable. */
export function createFeed({ reader, log, now = () => performance.now() }: FeedDeps): Feed {
  const known = createKnownMarks(log, now)
  let state: FollowState = NOT_READ
  let isClosed = false

  const take = (event: FollowEvent): void => {
    const next = follow(state, event)
    state = next.state
    for (const effect of next.effects) known.perform(effect)
  }

  /** Whether the store was read. */
  const readOnce = async (): Promise<boolean> => {
    const [beganAt, heardBefore] = [now(), state.heardUpTo]
    try {
      const read = await reader!.read(state.readUpTo)
      if (!isClosed) take({ kind: 'read', read, beganAt, heardBefore })
      return true
    } catch (error) {
      log.debug({ error }, 'state store not read')
      if (!isClosed) take({ kind: 'fault' })
      return false
    }
  }
  const reads = createSingleRuns(readOnce)
  const timer = reader && setInterval(() => !reads.isRunning() && void reads.next(), READ_MS).unref()
  if (reader) void reads.next()

  return {
    asOf: known.asOf,
    isCurrent: known.isCurrent,
    apply: (message) => take({ kind: 'message', message }),
    isConfirmed() {
      if (!reader) return true
      // A change without a place in the order is in no position, so that another process cannot be asked to know it: the
      // publisher waits for all processes at most this long.
      const at = now()
      return at - state.confirmedAt <= TRUSTED_MS && at - known.unorderedAt() > PROCESS_LIMIT_MS
    },
    marksLost: known.marksLost,
    revision: known.revision,
    position: () => ({ epoch: state.epoch, generation: known.generation() }),
    async confirm(needed = { generation: 0 }) {
      if (!reader) return 'confirmed'
      const isConfirmed = () => now() - state.confirmedAt <= TRUSTED_MS
      const isForeign = () => needed.epoch !== undefined && needed.epoch !== state.epoch
      const reaches = (generation: number) => !isForeign() && generation >= needed.generation
      if (isConfirmed() && reaches(state.readUpTo)) return 'confirmed'
      // This process was paused, or is behind. During an outage no request waits for a read that will fail.
      const wasRead = (state.faults === 0 || !reaches(state.heardUpTo)) && (await reads.next())
      if (state.faults > 0) return reaches(state.heardUpTo) ? 'away' : 'behind'
      // A foreign epoch is an earlier one: this process has read the store after the position was taken.
      if (!reaches(state.readUpTo) && !(wasRead && isForeign())) return 'behind'
      return isConfirmed() ? 'confirmed' : 'away'
    },
    close() {
      isClosed = true
      clearInterval(timer)
      reader?.close()
    },
  }
}
