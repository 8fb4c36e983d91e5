// Messages that the store of the marks may lack: a worker that starts reads the marks, and misses only those (C5).

import { type InvalidationMessage, PROCESS_LIMIT_MS } from '@portico/shared/wire/invalidation.ts'

/** After a publisher's wait every renderer has applied the message: what a new worker requests then is current. */
const KEPT_MS = 10 * PROCESS_LIMIT_MS
const MOST_MESSAGES = 1000

export function createRecentMessages(now = () => performance.now()) {
  let messages: { at: number; message: InvalidationMessage }[] = []
  return {
    note(message: InvalidationMessage): void {
      // A message with an epoch was counted: its marks are in the store.
      if (message.epoch !== '') return
      messages = messages.filter(({ at }) => now() - at < KEPT_MS)
      // Too many: the last one names everything.
      if (messages.length >= MOST_MESSAGES) messages = [{ at: now(), message: { ...message, everything: true } }]
      else messages.push({ at: now(), message })
    },
    list: (): InvalidationMessage[] => messages.flatMap(({ at, message }) => (now() - at < KEPT_MS ? message : [])),
  }
}
