// The interface of the state store's part of the invalidation feed (C5): it counts generations and keeps marks.

import type { Change, InvalidationMessage } from '../../wire/invalidation.ts'

/** Marks that a store keeps, and that a process keeps in memory; older marks raise the floor. */
export const MAX_MARKS = 10_000

/** A path or tag and the generation that last named it. */
export interface Mark {
  kind: 'path' | 'tag'
  name: string
  generation: number
}

export interface MarksSince {
  /** Changes when the store's data was lost; empty while the store has never counted. */
  epoch: string
  /** The latest generation, 0 at first. */
  generation: number
  /** Data of earlier generations is out of date whatever its path and tags: marks were removed, or everything changed. */
  floor: number
  /** All marks later than the requested generation. */
  marks: Mark[]
}

export interface GenerationReader {
  /** One consistent view of the store. Rejects while the store is unavailable. */
  read(since: number): Promise<MarksSince>
  close(): void
}

export interface GenerationStore extends GenerationReader {
  /**
   * Counts one generation, `max(last + 1, time in ms)`, and marks what the change names. The first generation of empty
   * data begins an epoch. Rejects while the store is unavailable; the change may have been counted then.
   */
  raise(change: Change): Promise<Pick<InvalidationMessage, 'generation' | 'epoch'>>
}
