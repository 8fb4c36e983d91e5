// Messages of the invalidation feed for tests.

import type { Change, InvalidationMessage } from '../../wire/invalidation.ts'

/** A message without a place in the state store's order; `more` gives it one. */
export function messageOf(change: Partial<Change>, more: Partial<InvalidationMessage> = {}): InvalidationMessage {
  return { generation: 0, epoch: '', paths: [], tags: [], everything: false, ...change, ...more }
}
