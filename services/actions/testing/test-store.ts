// Dependencies of stores in tests: a seal, and recorded events.

import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import type { Clock } from '../clock.ts'
import { createSeal, type Holder, type StoreEvents, type SubmissionStore } from '../store/submission-store.ts'
import { createMemoryStore } from './memory-store.ts'

export const TEST_SEAL = createSeal(createFixedKeyring(['a-key-of-the-tests-a-key-of-the-tests']))

export const HOLDER: Holder = { client: 'client-1', address: 'address-1' }

/** Events as texts: "kept row", "dropped body client". */
export function noteEvents(): StoreEvents & { noted: string[] } {
  const noted: string[] = []
  return {
    noted,
    onKept: (part) => void noted.push(`kept ${part}`),
    onDropped: (part, reason) => void noted.push(`dropped ${part} ${reason}`),
  }
}

export function createTestStore({ now }: Pick<Clock, 'now'>): SubmissionStore {
  return createMemoryStore({ now, seal: TEST_SEAL, events: noteEvents() })
}
