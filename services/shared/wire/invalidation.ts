// The message of the invalidation feed (W10): which cached pages and data are out of date from which generation on.

/** Pages by path, data by tag; `everything` names all of both. */
export interface Change {
  paths: readonly string[]
  tags: readonly string[]
  everything?: boolean
}

/** One change with its place in the order of all changes. */
export interface InvalidationMessage extends Required<Change> {
  /** Counted by the state store; 0 while the state store is unavailable. */
  generation: number
  /** The life of the state store's data; empty while the state store is unavailable. */
  epoch: string
}

/** How much of the feed a process knows, for another process to compare with what it knows itself. */
export interface FeedPosition {
  /** Absent where the process has not read the state store yet. */
  epoch?: string | undefined
  generation: number
}

/** A publisher waits for this long for a process that does not confirm a change (C5). */
export const PROCESS_LIMIT_MS = 500
/**
 * Kept data may be trusted for this long after the last successful read of the marks began: less than PROCESS_LIMIT_MS, so
 * that after a publisher's wait no process trusts what it read before the change. A timer may end a few milliseconds early.
 */
export const TRUSTED_MS = 480

/** Redis channel of messages, each as JSON. */
export const INVALIDATION_CHANNEL = 'portico:invalidate'
/** Path on the inner port of every process that keeps tagged data; needs the stack's token. */
export const INVALIDATION_PATH = '/internal/invalidate'

/** Parses the body of a request or a message of the channel; a text names the broken rule. */
export function parseInvalidation(value: unknown): InvalidationMessage | string {
  if (typeof value !== 'object' || value === null) return 'the body must be an object'
  const { paths, tags, generation, epoch, everything } = value as Record<string, unknown>
  if (!isTexts(paths)) return 'paths: must be a list of strings'
  if (!isTexts(tags)) return 'tags: must be a list of strings'
  if (!Number.isSafeInteger(generation)) return 'generation: must be a whole number'
  if (typeof epoch !== 'string') return 'epoch: must be a string'
  if (typeof everything !== 'boolean') return 'everything: must be true or false'
  return { paths, tags, generation: generation as number, epoch, everything }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
