// What must be purged at a CDN: the marks of the invalidation feed since the last purge (C6). Pure. The marks are the queue:
// the state store counts the changes of actions and of operators with their marks, and has each name once.

import { cacheTagOf } from '@portico/shared/kit/cdn/cache-tags.ts'
import type { MarksSince } from '@portico/shared/kit/feed/generations.ts'

/** Marks that wait at most; more become one purge of everything. */
export const QUEUE_LIMIT = 1000
/** Tags of one request: Cloudflare takes 30, Fastly 256. */
export const BATCH_TAGS = 30

/** Up to where the CDN was purged. */
export interface PurgeProgress {
  /** Version of the site for which everything was purged last (C2). */
  version: string
  epoch: string
  generation: number
}

interface PurgeBatch {
  tags: string[]
  /** With this batch the CDN is purged up to the generation. */
  through: number
}

export type PurgePlan =
  | { kind: 'nothing' }
  | { kind: 'everything'; reason: 'new-version' | 'marks-lost' | 'everything' | 'overflow' }
  | { kind: 'tags'; batches: PurgeBatch[] }

export interface PlanOptions {
  /** Undefined: the version is not compared. */
  version: string | undefined
  /** Whether the store lost marks since the last purge of this replica. */
  isLost: boolean
  /** Tags to purge besides those of marks. */
  extra: readonly string[]
}

export function planPurge(
  progress: PurgeProgress | undefined,
  read: MarksSince,
  { version, isLost, extra }: PlanOptions,
): PurgePlan {
  if (!progress || (version !== undefined && version !== progress.version))
    return { kind: 'everything', reason: 'new-version' }
  const { epoch, generation } = progress
  // Before the first epoch there was no change.
  const isSameStore = (epoch === '' || epoch === read.epoch) && read.generation >= generation
  if (isLost || !isSameStore) return { kind: 'everything', reason: 'marks-lost' }
  if (read.floor > generation) return { kind: 'everything', reason: 'everything' }
  const marks = read.marks.toSorted((left, right) => left.generation - right.generation)
  if (marks.length > QUEUE_LIMIT) return { kind: 'everything', reason: 'overflow' }
  const batches: PurgeBatch[] = extra.length > 0 ? [{ tags: [...extra], through: generation }] : []
  for (let at = 0; at < marks.length; at += BATCH_TAGS) {
    const next = marks[at + BATCH_TAGS]
    const tags = marks.slice(at, at + BATCH_TAGS).map(({ kind, name }) => cacheTagOf(kind, name))
    // The marks of one change may be in two batches.
    batches.push({ tags: [...new Set(tags)], through: next ? next.generation - 1 : read.generation })
  }
  return batches.length === 0 ? { kind: 'nothing' } : { kind: 'tags', batches }
}
