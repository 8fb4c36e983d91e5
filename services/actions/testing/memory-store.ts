// Stores submissions in the memory of one process: for tests.

import { createSqliteStore, type SqliteStoreDeps } from '../store/sqlite-store.ts'
import type { SubmissionStore } from '../store/submission-store.ts'

export function createMemoryStore(deps: Omit<SqliteStoreDeps, 'file'>): SubmissionStore {
  return createSqliteStore({ ...deps, file: ':memory:' })
}
