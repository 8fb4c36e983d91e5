// Stores submissions in the memory of one process: for tests.

import { createSqliteStore, type SqliteStoreDeps } from '../submission/store/sqlite-store.ts'
import type { SubmissionStore } from '../submission/store/store.ts'

export function createMemoryStore(deps: Omit<SqliteStoreDeps, 'file'>): SubmissionStore {
  return createSqliteStore({ ...deps, file: ':memory:' })
}
