// Messages that the store of the marks may lack: a worker that starts reads the marks, and misses only those (C5).

import { type InvalidationMessage, PROCESS_LIMIT_MS } from '@portico/shared/wire/invalidation.ts'

/** After a publisher's wait every renderer has applied the message: what a new worker requests then is current. */
const KEPT_MS = 10 * PROCESS_LIMIT_MS
const MOST_MESSAGES = 1000

/** Few messages that name at least the same: for each epoch one that names everything, in the place of the latest. */
export function everythingOf(messages: readonly InvalidationMessage[]): InvalidationMessage[] {
  const latest = new Map<string, number>()
  for (const { epoch, generation } of messages) latest.set(epoch, Math.max(generation, latest.get(epoch) ?? 0))
  return [...latest].map(([epoch, generation]) => ({ epoch, generation, paths: [], tags: [], everything: true }))
}

export function createRecentMessages(now = () => performance.now()) {
  let messages: { at: number; message: InvalidationMessage }[] = []
  return {
    note(message: InvalidationMessage): void {
      // A message with an epoch was counted: its marks are in the store.
      if (message.epoch !== '') return
      messages = messages.filter(({ at }) => now() - at < KEPT_MS)
      messages.push({ at: now(), message })
      if (messages.length > MOST_MESSAGES)
        messages = everythingOf(messages.map((each) => each.message)).map((each) => ({ at: now(), message: each }))
    },
    list: (): InvalidationMessage[] => messages.flatMap(({ at, message }) => (now() - at < KEPT_MS ? message : [])),
  }
}
