// For tests on processes: counts changes in the state store of a stack without Redis.

import type { Change, InvalidationMessage } from '../../wire/invalidation.ts'
import { createSqliteGenerations } from '../feed/sqlite-generations.ts'
import { messageOf } from './changes.ts'

export interface FileMarks {
  /** Resolves with the message for the inner ports. */
  raise(change: Partial<Change>): Promise<InvalidationMessage>
  close(): void
}

/** `dataDir` is that of the stack. */
export function openFileMarks(dataDir: string): FileMarks {
  const store = createSqliteGenerations({ dataDir, now: Date.now })
  return {
    async raise(change) {
      const message = messageOf(change)
      return { ...message, ...(await store.raise(message)) }
    },
    close: () => store.close(),
  }
}
